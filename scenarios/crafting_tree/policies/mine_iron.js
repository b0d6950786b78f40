// Scripted mind: mines three pieces of raw iron.
async function mineIron(bot) {
  await gather(bot, ['iron_ore', 'deepslate_iron_ore'], ['raw_iron', 'iron_ingot'], 3)
}
