/** Casts a rod into the middle of the nearest water, and waits for a bite. */
async function fish(bot, rods, ticks) {
  bot.setQuickBarSlot((bot.quickBarSlot + 1) % 9) // reels in an earlier cast
  await bot.waitForTicks(3)
  await takeInHand(bot, rods)
  const matching = mcData.blocksByName.water.id
  const isWater = (place) => bot.blockAt(place)?.name === 'water'
  const isMiddle = ({ position }) =>
    [-3, 3].every(
      (off) => isWater(position.offset(off, 0, 0)) && isWater(position.offset(0, 0, off))
    )
  const water = bot.findBlock({ matching, maxDistance: 24, useExtraInfo: isMiddle })
  if (!water) throw new Error('there is no open water near')
  const { x, y, z } = water.position
  await goTo(bot, new Vec3(x, y + 1, z), 6)
  await bot.lookAt(new Vec3(x + 0.5, y + 1.3, z + 0.5), true)
  const tired = bot.waitForTicks(ticks).then(() => Promise.reject(new Error('nothing bit')))
  await Promise.race([bot.fish(), tired])
  await bot.waitForTicks(30)
  await pickUp(bot, 4)
}
