/** Waits until a condition holds, for at most that many ticks, then throws. */
async function waitUntil(bot, isSo, ticks) {
  for (let tick = 0; tick < ticks; tick++) {
    if (isSo()) return
    await bot.waitForTicks(1)
  }
  throw new Error('nothing came of it')
}
