/** Plants a seed on tilled land that has no crop. */
async function plant(bot, seed) {
  const isOpen = (soil) => bot.blockAt(soil.position.offset(0, 1, 0))?.name === 'air'
  const soil = await choosePlace(bot, 'farmland', isOpen, 'tilled land without a crop')
  await placeItem(bot, seed, soil.offset(0, 1, 0))
}
