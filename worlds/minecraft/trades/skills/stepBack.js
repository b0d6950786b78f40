/** Takes a step back. */
async function stepBack(bot) {
  bot.setControlState('back', true)
  await bot.waitForTicks(6)
  bot.setControlState('back', false)
  await bot.waitForTicks(4) // until it stops sliding
}
