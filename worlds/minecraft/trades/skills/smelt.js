/** Smelts at a nearby furnace that is not in use. */
async function smelt(bot, raw, fuel, count) {
  const matching = mcData.blocksByName.furnace.id
  const left = bot.findBlocks({ matching, maxDistance: 24, count: 16 })
  while (left.length) {
    const [place] = left.splice(Math.floor(Math.random() * left.length), 1)
    await goTo(bot, place, 1)
    const furnace = await bot.openFurnace(bot.blockAt(place))
    const isFree = !furnace.inputItem() && !furnace.outputItem()
    await furnace.close()
    if (isFree) return smeltItem(bot, raw, fuel, count)
  }
  throw new Error('all furnaces are in use')
}
