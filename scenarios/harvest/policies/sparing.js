// Scripted mind: harvests, but spares mushrooms with few caps left.

const LEFT_ALONE = 3

/**
 * Return the caps of each mushroom, nearest mushroom first; all caps of a mushroom are within two
 * blocks of its centre.
 */
function mushrooms(bot) {
  const groups = []
  for (const cap of caps(bot)) {
    const group = groups.find(([first]) => first.distanceTo(cap) < 4)
    if (group) group.push(cap)
    else groups.push([cap])
  }
  return groups
}

async function main(bot) {
  await keep(bot, async () => {
    const rich = mushrooms(bot).find((group) => group.length > LEFT_ALONE)
    if (!rich) return false
    if (bot.entity.position.distanceTo(rich[0]) > 5) await goTo(bot, rich[0].offset(0, -2, 0), 2)
    const cap = rich.find((place) => bot.blockAt(place)?.type === CAP)
    if (cap) await digCap(bot, cap)
    return Boolean(cap)
  })
}

/** Dig only this cap block and pick up the drops. */
async function digCap(bot, cap) {
  const below = cap.offset(0, -2, 0)
  if (Math.hypot(cap.x - bot.entity.position.x, cap.z - bot.entity.position.z) > 3) {
    await goTo(bot, below, 1)
  }
  await bot.dig(bot.blockAt(cap), true)
  await bot.waitForTicks(6)
  const drop = bot.nearestEntity((e) => e.name === 'item' && e.position.distanceTo(below) < 3)
  if (drop) await goTo(bot, drop.position, 1)
}
