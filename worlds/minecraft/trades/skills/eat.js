/** Eats one item and returns once it is consumed. */
async function eat(bot, food) {
  await takeInHand(bot, [food])
  const before = countHeld(bot, food)
  await bot.consume()
  await waitUntil(bot, () => countHeld(bot, food) < before, 60)
}
