/** Walks over each item within that many blocks once, a moment after it fell. */
async function pickUp(bot, radius) {
  await bot.waitForTicks(12)
  const tried = []
  const next = () =>
    bot.nearestEntity((entity) => entity.name === 'item' && !tried.includes(entity.id))
  for (let item = next(); item; item = next()) {
    if (item.position.distanceTo(bot.entity.position) > radius) return
    tried.push(item.id)
    await goTo(bot, item.position, 0).catch(() => {})
    await bot.waitForTicks(3)
  }
}
