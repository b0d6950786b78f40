// Scripted mind: functions shared by Cleanup's policies.

const SLIME = mcData.blocksByName.slime_block.id
const CAP = mcData.blocksByName.red_mushroom_block.id
const slimes = (bot) => bot.findBlocks({ matching: SLIME, maxDistance: 48, count: 64 })
const eyes = (bot) => bot.entity.position.offset(0, 1.62, 0)
const awayFrom = (bot) => (a, b) => a.distanceTo(eyes(bot)) - b.distanceTo(eyes(bot))

/** Remove the nearest slime; return false if there is none. */
async function cleanOne(bot) {
  const [place] = slimes(bot).sort(awayFrom(bot))
  if (!place) return false
  if (place.distanceTo(eyes(bot)) > 4) await goTo(bot, place, 2)
  const block = bot.blockAt(place)
  if (block?.type === SLIME) await bot.dig(block, true)
  return true
}

/** Harvest the nearest mushroom block and collect its drops; return false if there is none. */
async function harvestOne(bot) {
  if (!bot.findBlock({ matching: CAP, maxDistance: 48 })) return false
  await mineBlock(bot, 'red_mushroom_block', 2)
  return true
}

/** Repeat some work; rest after each attempt that fails or finds nothing to do. */
async function keep(bot, work, until = () => false) {
  while (!until()) {
    const done = await work(bot).catch((error) => console.log(error.message))
    if (!done) await bot.waitForTicks(10)
  }
}
