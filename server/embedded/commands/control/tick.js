import { getSpeed } from '@voxpolis/clock'
import { MINECRAFT_VERSION } from '../../minecraft/index.js'
import { TICK_MS } from '../../world/ticks.js'
import { CommandError, Reply, said } from '../replies.js'

/**
 * `tick query` works as in vanilla since 1.20.3 and then adds figures that vanilla lacks: lateness
 * of ticks, speed of the clock, the fractions of time during which the server and clients were
 * late, and traffic since the server started. `tick freeze` stops the clock of the server and of
 * the bots that follow it, so that agents cannot move (in vanilla, players can). `tick unfreeze`
 * resumes it; `tick step` runs a number of ticks.
 * @type {import('../index.js').Command}
 */
export const command = {
  names: ['tick'],
  branches: ['query', 'freeze', 'unfreeze', 'step'],
  run: ({ serv, args }) => {
    const what = args.oneOf(/** @type {const} */ (['query', 'freeze', 'unfreeze', 'step']))
    if (what === 'step') return step(serv, args)
    if (what !== 'query') {
      args.end()
      serv.freeze(what === 'freeze')
      return new Reply({ text: state(serv) })
    }
    const ticks = args.done ? serv.tickTimes.length : args.integer({ min: 1 })
    args.end()
    const times = serv.lastTicks(serv.tickTimes, ticks)
    const delays = serv.lastTicks(serv.tickDelays, ticks)
    const { packets, bytes } = serv.traffic
    const longest = serv.longestDelays(ticks)
    const lines = [
      state(serv),
      `Target tick rate: 20.0 per second.`,
      `Average time per tick: ${mean(times).toFixed(1)}ms (Target: 50.0ms)`,
      `Percentiles: ${percentiles(times)}, sample: ${times.length}`,
      `Start delay: ${percentiles(delays)}, skipped: ${serv.skippedTicks}`,
      `Clock: ran at ${pace(serv.lastTicks(serv.tickWalls, ticks)).toFixed(2)} of ${getSpeed()} times the wall's`,
      `Held up: server ${serv.tickDelay(ticks).toFixed(3)}, clients ${serv.clientDelay(ticks).toFixed(3)} of the time`,
      `Longest delays: server ${longest.server.toFixed(0)}, clients ${longest.clients.toFixed(0)} ms`,
      `Ticks: ${serv.tickCount}, packets: ${packets}, bytes: ${bytes}, version: ${MINECRAFT_VERSION}`
    ]
    return new Reply({ text: lines.join('\n') }, { isPrivate: true })
  }
}

/**
 * Run some ticks of a frozen clock.
 * @param {import('../../types/index.d.ts').Server} serv
 * @param {import('../arguments/reader.js').Reader} args
 */
function step(serv, args) {
  const isStop = args.peek() === 'stop'
  if (isStop) args.word()
  const ticks = isStop || args.done ? 1 : args.ticks()
  args.end()
  const isStepping = serv.stepsLeft > 0
  if (isStop) {
    if (!isStepping) throw new CommandError('commands.tick.step.stop.fail')
    serv.freeze(true)
    return said('commands.tick.step.stop.success')
  }
  if (!serv.isFrozen && !isStepping) throw new CommandError('commands.tick.step.fail')
  serv.step(ticks)
  return said('commands.tick.step.success', ticks)
}

/** @param {import('../../types/index.d.ts').Server} serv */
const state = (serv) =>
  serv.isFrozen || serv.stepsLeft ? 'The game is frozen' : 'The game is running normally'

/** @param {number[]} walls wall times of tick starts, newest first */
function pace(walls) {
  const passed = walls.length > 1 ? walls[0] - walls[walls.length - 1] : 0
  return passed ? ((walls.length - 1) * TICK_MS) / passed : getSpeed()
}

/** @param {number[]} values */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / (values.length || 1)

/** @param {number[]} values */
function percentiles(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (/** @type {number} */ share) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(1)
  return `P50: ${at(0.5)}ms P95: ${at(0.95)}ms P99: ${at(0.99)}ms`
}
