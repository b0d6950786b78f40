// Scripted mind: functions shared by Harvest's policies.

const CAP = mcData.blocksByName.red_mushroom_block.id
const caps = (bot) => bot.findBlocks({ matching: CAP, maxDistance: 48, count: 64 })

/** Harvest the nearest cap blocks; return false if there are none. */
async function harvestSome(bot) {
  if (!caps(bot).length) return false
  await mineBlock(bot, 'red_mushroom_block', 4)
  return true
}

/** Repeat some work; rest after each attempt that fails or finds nothing to do. */
async function keep(bot, work) {
  for (;;) {
    const done = await work(bot).catch((error) => console.log(error.message))
    if (!done) await bot.waitForTicks(10)
  }
}
