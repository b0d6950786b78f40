/** Returns the place of one of the nearest blocks of a kind at random, so that bots do not compete. */
async function choosePlace(bot, kind, isWanted, what = kind) {
  const matching = mcData.blocksByName[kind].id
  const found = bot.findBlocks({ matching, maxDistance: 24, count: 6, useExtraInfo: isWanted })
  if (!found.length) throw new Error(`there is no ${what} near`)
  return found[Math.floor(Math.random() * found.length)]
}
