// Scripted mind: mines fuel.
async function mineCoal(bot) {
  await gather(bot, ['coal_ore', 'deepslate_coal_ore'], ['coal'], 2)
}
