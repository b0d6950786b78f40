/** Digs the nearest blocks of some kinds until the bot holds that many more of an item. */
async function gatherFrom(bot, kinds, item, count) {
  const before = countHeld(bot, item)
  for (let tries = 0; countHeld(bot, item) - before < count && tries < 12; tries++) {
    const block = await seek(bot, kinds)
    const away = block.position.distanceTo(bot.entity.position)
    if (away > 24) await goTo(bot, block.position, 16).catch(() => {})
    await mineBlock(bot, block.name, 1).catch((error) => {
      console.log(String(error))
      return exploreUntil(bot, new Vec3(1, 0, tries % 2 ? 1 : -1), 10, () => null)
    })
  }
  if (countHeld(bot, item) - before < count) throw new Error(`no ${item} came of it`)
}
