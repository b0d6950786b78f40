// Scripted mind: what all of Harvest's policies use.

const CAP = mcData.blocksByName.red_mushroom_block.id
const caps = (bot) => bot.findBlocks({ matching: CAP, maxDistance: 48, count: 64 })

/** Harvests one cap block, the nearest; gives back whether there was one. */
async function harvestOne(bot) {
  if (!caps(bot).length) return false
  await mineBlock(bot, 'red_mushroom_block', 1)
  return true
}

/** Does something over and over, resting where there is nothing to do; the other may be faster. */
async function keep(bot, work) {
  for (;;) {
    const done = await work(bot).catch((error) => console.log(error.message))
    if (!done) await bot.waitForTicks(10)
  }
}
