/** Walks up to somebody and tosses items at its feet; picks up again what it did not take, and tries again. */
async function give(bot, to, item, count) {
  const before = countHeld(bot, item)
  const place = () => {
    const other = bot.players[to]?.entity
    if (!other) throw new Error(`${to} is not in sight`)
    return other.position
  }
  for (let tries = 0; tries < 3 && countHeld(bot, item) === before; tries++) {
    await goTo(bot, place(), 2)
    await bot.lookAt(place(), true)
    if (place().distanceTo(bot.entity.position) < 1) await stepBack(bot) // else it takes it itself
    await bot.lookAt(place(), true) // what is thrown straight ahead flies over whoever is near
    await bot.waitForTicks(2) // until the server knows where it looks: it throws that way
    await bot.toss(mcData.itemsByName[item].id, null, count)
    await bot.waitForTicks(40)
    await pickUp(bot, 5)
  }
}
