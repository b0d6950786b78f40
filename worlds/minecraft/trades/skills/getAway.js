/** Runs away from the nearest of some mobs, or from its position; leaves water and rubble first. */
async function getAway(bot, mobs, seconds) {
  for (let dug = 0; dug < 6; dug++) {
    const head = bot.blockAt(bot.entity.position.offset(0, 1.6, 0))
    if (head?.boundingBox !== 'block') break
    await bot.dig(head, true)
    await bot.waitForTicks(5) // blocks above it fall
  }
  if (bot.entity.isInWater) {
    bot.setControlState('jump', true)
    await bot.waitForTicks(40)
    bot.setControlState('jump', false)
  }
  const danger = bot.nearestEntity((entity) => mobs.includes(entity.name))
  const from = danger ? danger.position : bot.entity.position.offset(Math.random() - 0.5, 0, 0.5)
  const { x, z } = bot.entity.position.minus(from)
  await exploreUntil(bot, new Vec3(x < 0 ? -1 : 1, 0, z < 0 ? -1 : 1), seconds, () => null)
}
