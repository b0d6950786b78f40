/** Walks up to a player and tosses items at its feet; picks up what remains, and retries. */
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
    // otherwise it picks them up itself
    if (place().distanceTo(bot.entity.position) < 1) await stepBack(bot)
    await bot.lookAt(place(), true) // items thrown straight ahead fly over a near player
    await bot.waitForTicks(2) // until the server knows the new direction
    await bot.toss(mcData.itemsByName[item].id, null, count)
    await bot.waitForTicks(40)
    await pickUp(bot, 5)
  }
}
