/** Smelts in a furnace that is put down for it and taken along again. */
async function smeltAt(bot, raw, fuel, count, furnace) {
  const place = await putDown(bot, furnace)
  try {
    await smeltItem(bot, raw, fuel, count)
  } finally {
    await givePlacedItemBack(bot, furnace, place).catch((error) => console.log(String(error)))
  }
}
