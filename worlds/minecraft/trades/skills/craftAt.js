/** Crafts an item, with a table that is placed for it and picked up again. */
async function craftAt(bot, item, table) {
  if (!table) return craftItem(bot, item, 1)
  const place = await putDown(bot, table)
  try {
    await craftItem(bot, item, 1)
  } finally {
    await givePlacedItemBack(bot, table, place).catch((error) => console.log(String(error)))
  }
}
