/** Takes a step back from what it looks at. */
async function stepBack(bot) {
  bot.setControlState('back', true)
  await bot.waitForTicks(6)
  bot.setControlState('back', false)
  await bot.waitForTicks(4) // it slides on
}
