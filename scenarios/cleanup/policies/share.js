// Scripted mind: cleans and harvests alternately, as promised or as the law demands.

const TURN_SLIME = 4
const TURN_CAPS = 4

async function main(bot) {
  for (;;) {
    let removed = 0
    let harvested = 0
    const clean = async () => (await cleanOne(bot)) && ++removed
    const harvest = async () => (await harvestOne(bot)) && ++harvested
    await keep(bot, clean, () => removed >= TURN_SLIME)
    await keep(bot, harvest, () => harvested >= TURN_CAPS)
  }
}
