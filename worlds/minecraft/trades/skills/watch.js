/** Looks around with one of some tools in hand, for that many ticks. */
async function watch(bot, tools, ticks) {
  if (tools.length) await takeInHand(bot, tools)
  for (let passed = 0; passed < ticks; passed += 20) {
    await bot.look((passed / 20) * (Math.PI / 2), 0, true)
    await bot.waitForTicks(20)
  }
}
