/** Eats one of what it holds. */
async function eat(bot, food) {
  await takeInHand(bot, [food])
  await bot.consume()
  await bot.waitForTicks(5)
}
