/** Places a block nearby, and returns its position. */
async function putDown(bot, name) {
  const feet = bot.entity.position.floored()
  const isSolid = (place) => bot.blockAt(place)?.boundingBox === 'block'
  const places = []
  for (let x = -3; x <= 3; x++)
    for (let y = -1; y <= 2; y++)
      for (let z = -3; z <= 3; z++) if (x || z) places.push(feet.offset(x, y, z))
  const free = places.filter((place) => !isSolid(place) && isSolid(place.offset(0, -1, 0)))
  const dug = places.filter((place) => isSolid(place) && isSolid(place.offset(0, -1, 0)))
  const near = (a, b) => a.distanceTo(feet) - b.distanceTo(feet)
  for (const place of [...free.sort(near), ...dug.sort(near)].slice(0, 12)) {
    try {
      if (isSolid(place)) await bot.dig(bot.blockAt(place), true)
      await placeItem(bot, name, place)
      return place
    } catch (error) {
      console.log(String(error))
    }
  }
  throw new Error(`there is no place for ${name}`)
}
