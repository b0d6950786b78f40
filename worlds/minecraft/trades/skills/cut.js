/** Cuts blocks of a kind with one of some tools, until the bot holds that many more of an item. */
async function cut(bot, tools, block, item, count, most) {
  const held = () => countHeld(bot, item)
  const before = held()
  for (let done = 0; held() - before < count; done++) {
    if (done === most) throw new Error(`no ${item} came of ${most} ${block}`)
    const place = await choosePlace(bot, block, () => true)
    await goTo(bot, place, 2)
    await takeInHand(bot, tools)
    const there = bot.blockAt(place)
    if (there?.name === block) await bot.dig(there, true)
    await pickUp(bot, 4)
  }
}
