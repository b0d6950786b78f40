/** Walks up to somebody and tosses items to it; picks up again what it did not take, and tries again. */
async function give(bot, to, item, count) {
  const before = countHeld(bot, item)
  const place = () => {
    const other = bot.players[to]?.entity
    if (!other) throw new Error(`${to} is not in sight`)
    return other.position
  }
  for (let tries = 0; tries < 3 && countHeld(bot, item) === before; tries++) {
    await goTo(bot, place(), 2)
    await bot.lookAt(place().offset(0, 1.2, 0), true)
    await bot.toss(mcData.itemsByName[item].id, null, count)
    await bot.waitForTicks(40)
    await pickUp(bot, 5)
  }
}
