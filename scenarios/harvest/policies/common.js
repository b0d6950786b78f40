// Scripted mind: what all of Harvest's policies use.

const CAP = mcData.blocksByName.red_mushroom_block.id
const caps = (bot) => bot.findBlocks({ matching: CAP, maxDistance: 48, count: 64 })

/** Harvests the nearest cap blocks; gives back whether there was one. */
async function harvestSome(bot) {
  if (!caps(bot).length) return false
  await mineBlock(bot, 'red_mushroom_block', 4)
  return true
}

/** Does something over and over, resting where there is nothing to do; the other may be faster. */
async function keep(bot, work) {
  for (;;) {
    const done = await work(bot).catch((error) => console.log(error.message))
    if (!done) await bot.waitForTicks(10)
  }
}
