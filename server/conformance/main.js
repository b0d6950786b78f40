/**
 * Run the checks against a server; print one JSON line per check.
 *
 * `python -m server conformance` starts this file, reads the lines and prints the table.
 */
import { parseArgs } from 'node:util'
import { getSpeed, setSpeed } from '@voxpolis/clock'
import { limits } from './checks/basics.js'
import { CHECKS } from './checks/index.js'
import { openRcon } from './rcon.js'
import { onEnd, openStage } from './stage.js'

const { values } = parseArgs({
  options: {
    host: { type: 'string' },
    port: { type: 'string' },
    'rcon-host': { type: 'string' },
    'rcon-port': { type: 'string' },
    speed: { type: 'string', default: '1' },
    anchor: { type: 'string', default: '0' },
    clock: { type: 'string' },
    only: { type: 'string', default: '' },
    probe: { type: 'boolean', default: false }
  }
})
setSpeed(Number(values.speed), Number(values.anchor), values.clock)
/** Time limit of a check: at least this much wall time, like all waits (stage.js). */
const CHECK_TIMEOUT_MS = 120_000

/** @param {object} line */
const say = (line) => console.log(JSON.stringify(line))

/** @param {Promise<void>} work */
function within(work) {
  /** @type {NodeJS.Timeout} */
  let timer
  const late = new Promise((_, reject) => {
    const ms = CHECK_TIMEOUT_MS * getSpeed()
    timer = setTimeout(() => reject(new Error('took too long')), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

// End together with the program that reads the output.
process.stdin.on('end', () => process.exit(1)).resume()

try {
  const password = process.env.VOXPOLIS_RCON_PASSWORD ?? ''
  const host = String(values.host)
  const rcon = await openRcon({
    host: values['rcon-host'] ?? host,
    port: Number(values['rcon-port']),
    password
  })
  const stage = await openStage(rcon, { host, port: Number(values.port) })
  for (const bot of stage.bots) {
    onEnd(bot, (why) => {
      say({ fatal: `${bot.username} was disconnected, ${why}` })
      process.exit(1)
    })
  }
  if (values.probe) {
    say({ group: 'join', name: 'two bots joined', ok: true, error: '', seconds: 0 })
    const answer = await stage.command('data get entity ConformA Pos')
    const ok = answer.startsWith('ConformA has the following entity data')
    say({ group: 'commands', name: 'data get answers', ok, error: ok ? '' : answer, seconds: 0 })
  }
  for (const [group, name, run] of values.probe ? limits : CHECKS) {
    if (!`${group}: ${name}`.includes(values.only)) continue
    const started = performance.now()
    let error = ''
    try {
      await within((values.probe ? Promise.resolve() : stage.clean()).then(() => run(stage)))
    } catch (failure) {
      error = failure instanceof Error ? failure.message : String(failure)
    }
    for (const bot of stage.bots) {
      if (bot.currentWindow) bot.closeWindow(bot.currentWindow)
      bot.pathfinder.setGoal(null)
    }
    say({ group, name, ok: !error, error, seconds: (performance.now() - started) / 1000 })
  }
  process.exit(0)
} catch (failure) {
  say({ fatal: failure instanceof Error ? failure.message : String(failure) })
  process.exit(1)
}
