/** Walks around for that many seconds. */
async function lookAround(bot, seconds) {
  const ways = [new Vec3(1, 0, 0), new Vec3(-1, 0, 0), new Vec3(0, 0, 1), new Vec3(0, 0, -1)]
  await exploreUntil(bot, ways[Math.floor(Math.random() * ways.length)], seconds, () => null)
}
