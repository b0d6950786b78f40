/** Tills bare earth of the field (there is none elsewhere), and prints its position. */
async function till(bot, hoes) {
  const isOpen = (earth) => bot.blockAt(earth.position.offset(0, 1, 0))?.name === 'air'
  const earth = await choosePlace(bot, 'dirt', isOpen, 'earth to till')
  await takeInHand(bot, hoes)
  await goTo(bot, earth.offset(0, 1, 0), 2)
  await bot.lookAt(earth.offset(0.5, 1, 0.5), true)
  await bot.activateBlock(bot.blockAt(earth))
  await waitUntil(bot, () => bot.blockAt(earth)?.name === 'farmland', 40)
  console.log(earth.x, earth.y, earth.z)
}
