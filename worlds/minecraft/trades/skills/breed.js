/** Feeds two nearby animals of a kind so that they breed. */
async function breed(bot, kind, food) {
  await takeInHand(bot, [food])
  const fed = []
  const next = () => bot.nearestEntity((entity) => entity.name === kind && !fed.includes(entity.id))
  const left = () => bot.heldItem?.count ?? 0
  let eaten = 0
  for (let animal = next(); animal && eaten < 2 && fed.length < 8; animal = next()) {
    const before = left()
    fed.push(animal.id)
    await goTo(bot, animal.position, 2)
    await bot.useOn(animal)
    await bot.waitForTicks(6)
    if (left() < before) eaten++
  }
  if (eaten < 2) throw new Error(`${eaten} ${kind} near would eat`)
}
