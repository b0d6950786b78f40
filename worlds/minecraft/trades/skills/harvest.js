/** Digs a ripe crop and picks up the drops. */
async function harvest(bot, crop, ripeAge) {
  const isRipe = (plant) => Number(plant.getProperties().age) === ripeAge
  const place = await choosePlace(bot, crop, isRipe, `ripe ${crop}`)
  await goTo(bot, place, 1)
  const block = bot.blockAt(place)
  if (block?.name !== crop || !isRipe(block)) throw new Error(`no ripe ${crop} is left there`)
  await bot.dig(block, true)
  await pickUp(bot, 4)
}
