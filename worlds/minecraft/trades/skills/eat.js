/** Eats one of what it holds; it is over once that is gone. */
async function eat(bot, food) {
  await takeInHand(bot, [food])
  const before = countHeld(bot, food)
  await bot.consume()
  await waitUntil(bot, () => countHeld(bot, food) < before, 60)
}
