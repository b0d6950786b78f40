/** Shears nearby sheep, one after another, until one has wool, and picks it up. */
async function shear(bot, most) {
  await takeInHand(bot, ['shears'])
  const tried = []
  const next = () =>
    bot.nearestEntity((entity) => entity.name === 'sheep' && !tried.includes(entity.id))
  const fallen = () => bot.nearestEntity((entity) => entity.name === 'item')
  for (let sheep = next(); sheep && tried.length < most; sheep = next()) {
    tried.push(sheep.id)
    await goTo(bot, sheep.position, 2)
    await bot.useOn(sheep)
    await bot.waitForTicks(6)
    if ((fallen()?.position.distanceTo(bot.entity.position) ?? 9) > 5) continue
    return pickUp(bot, 5)
  }
  throw new Error('no sheep near has wool')
}
