async function mineCobblestone(bot) {
  await gather(bot, ['stone'], ['cobblestone'], 14)
}
