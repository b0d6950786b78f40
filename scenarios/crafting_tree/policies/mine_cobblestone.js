// Scripted mind: mines stone for tools and a furnace.
async function mineCobblestone(bot) {
  await gather(bot, ['stone'], ['cobblestone'], 14)
}
