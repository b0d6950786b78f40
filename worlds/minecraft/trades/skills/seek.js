/** Returns the nearest block of some kinds; walks in a widening spiral until one is found. */
async function seek(bot, kinds) {
  const matching = kinds.map((kind) => mcData.blocksByName[kind].id)
  const look = () => bot.findBlock({ matching, maxDistance: 64 })
  const turns = [new Vec3(1, 0, 1), new Vec3(-1, 0, 1), new Vec3(-1, 0, -1), new Vec3(1, 0, -1)]
  const first = Math.floor(Math.random() * 4)
  for (let leg = 0; leg < 4 && !look(); leg++) {
    await exploreUntil(bot, turns[(first + leg) % 4], 15 + 10 * leg, look)
  }
  const block = look()
  if (!block) throw new Error(`no ${kinds.join(' or ')} anywhere near`)
  return block
}
