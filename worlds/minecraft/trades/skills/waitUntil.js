/** Waits until something is so, for so many ticks at most; an error where it never was. */
async function waitUntil(bot, isSo, ticks) {
  for (let tick = 0; tick < ticks; tick++) {
    if (isSo()) return
    await bot.waitForTicks(1)
  }
  throw new Error('nothing came of it')
}
