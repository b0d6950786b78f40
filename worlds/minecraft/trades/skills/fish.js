/** Casts a rod into the nearest open water, and waits for a bite. */
async function fish(bot, rods) {
  await takeInHand(bot, rods)
  const matching = mcData.blocksByName.water.id
  const isOpen = (water) =>
    [-2, 2].every((off) =>
      [water.position.offset(off, 0, 0), water.position.offset(0, 0, off)].every(
        (place) => bot.blockAt(place)?.name === 'water'
      )
    )
  const water = bot.findBlock({ matching, maxDistance: 24, useExtraInfo: isOpen })
  if (!water) throw new Error('there is no open water near')
  const { x, y, z } = water.position
  await goTo(bot, new Vec3(x, y + 1, z), 5)
  await bot.lookAt(new Vec3(x + 0.5, y + 1.3, z + 0.5), true)
  await bot.fish()
  await bot.waitForTicks(30)
  await pickUp(bot, 4)
}
