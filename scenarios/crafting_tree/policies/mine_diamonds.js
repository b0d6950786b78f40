// Scripted mind: mines three diamonds; digs deep underground if none is in sight.
async function mineDiamonds(bot) {
  const ores = ['diamond_ore', 'deepslate_diamond_ore']
  const look = () =>
    bot.findBlock({ matching: ores.map((n) => mcData.blocksByName[n].id), maxDistance: 64 })
  if (!look())
    await exploreUntil(bot, new Vec3(0, -1, 0), 300, () => look() || bot.entity.position.y < -48)
  await gather(bot, ores, ['diamond'], 3)
}
