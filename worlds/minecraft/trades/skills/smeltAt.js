/** Smelts in a furnace that is placed for it and picked up again. */
async function smeltAt(bot, raw, fuel, count, furnace) {
  const place = await putDown(bot, furnace)
  try {
    await smeltItem(bot, raw, fuel, count)
  } finally {
    await givePlacedItemBack(bot, furnace, place).catch((error) => console.log(String(error)))
  }
}
