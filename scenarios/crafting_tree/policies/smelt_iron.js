// Scripted mind: smelts iron ingots in a furnace, then picks the furnace up again.
async function smeltIron(bot) {
  const place = await putDown(bot, 'furnace')
  try {
    await smeltItem(bot, 'raw_iron', 'coal', held(bot, 'raw_iron'))
  } finally {
    await givePlacedItemBack(bot, 'furnace', place).catch((error) => console.log(String(error)))
  }
}
