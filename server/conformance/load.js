/** Load for `--speed auto`: a few bots that walk around for some seconds of wall time. */
import { setSpeed, wall } from '@voxpolis/clock'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    speed: { type: 'string' },
    anchor: { type: 'string' },
    clock: { type: 'string' },
    bots: { type: 'string' },
    seconds: { type: 'string' }
  }
})
setSpeed(Number(values.speed), Number(values.anchor), values.clock)

const { join, Vec3 } = await import('./stage.js')
const bots = await Promise.all(
  Array.from({ length: Number(values.bots) }, (_, index) =>
    join(`Load${index}`, { host: '127.0.0.1', port: Number(values.port) })
  )
)
for (const [index, bot] of bots.entries()) wander(bot, index)
wall.setTimeout(() => process.exit(0), Number(values.seconds) * 1000)

/** @param {import('mineflayer').Bot} bot @param {number} index */
async function wander(bot, index) {
  for (let step = 0; ; step++) {
    const { x, y, z } = bot.entity.position
    const angle = step * 2.4 + index
    const goal = new Vec3(
      Math.floor(x + 8 * Math.cos(angle)),
      Math.floor(y),
      Math.floor(z + 8 * Math.sin(angle))
    )
    const { goals } = await import('mineflayer-pathfinder').then(
      (module) => module.default ?? module
    )
    await bot.pathfinder.goto(new goals.GoalNear(goal.x, goal.y, goal.z, 1)).catch(() => {})
  }
}
