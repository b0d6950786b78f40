// Scripted mind: mostly harvests. The player who starts nearer to the river cleans a little first,
// for the benefit of its own harvest.

const A_LITTLE = 20

async function main(bot) {
  await bot.waitForTicks(5)
  let removed = 0
  const cleanALittle = async () => {
    removed++
    return cleanOne(bot)
  }
  if (isNearer(bot))
    await keep(bot, cleanALittle, () => removed >= A_LITTLE || slimes(bot).length <= 7)
  await keep(bot, harvestOne)
}

function isNearer(bot) {
  const [nearest] = slimes(bot).sort(awayFrom(bot))
  if (!nearest) return false
  const others = Object.values(bot.players).filter(({ username }) => username !== bot.username)
  const mine = nearest.distanceTo(bot.entity.position)
  return others.every(({ entity }) => !entity || nearest.distanceTo(entity.position) > mine)
}
