/**
 * Run the embedded Minecraft 1.20.4 server until it is told to stop.
 *
 * `python -m server up --kind embedded` starts it; see `--help` there. Options arrive as
 * command-line flags. The RCON password arrives in a file, so that `ps` never shows it.
 */
import { setSpeed, setSpeedAndGrant, wall } from '@voxpolis/clock'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { keepShort } from './process/log-file.js'
import { clear, isKnown, isRunning } from './process/owner.js'
import { WorldFolderError } from './world/world-folder.js'
import { createEmbeddedServer } from './server.js'

const OWNER_CHECK_MS = 500
/** Time limit for a stopping server to save its world. */
const CLOSE_MS = 9000

const { values } = parseArgs({
  options: {
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '25565' },
    'rcon-port': { type: 'string', default: '25575' },
    'password-file': { type: 'string' },
    'ready-file': { type: 'string' },
    seed: { type: 'string', default: '1' },
    terrain: { type: 'string', default: 'superflat' },
    world: { type: 'string' },
    replays: { type: 'string' },
    speed: { type: 'string', default: '1' },
    anchor: { type: 'string', default: '0' },
    clock: { type: 'string' },
    owner: { type: 'string' },
    starter: { type: 'string' },
    temporary: { type: 'boolean', default: false },
    strict: { type: 'boolean', default: false },
    'allow-flight': { type: 'boolean', default: false },
    'no-monsters': { type: 'boolean', default: false }
  }
})

if (!values['password-file']) {
  console.error('The embedded server needs --password-file FILE (its RCON password).')
  process.exit(2)
}
const passwordFile = values['password-file']

const clock = /** @type {const} */ ([Number(values.speed), Number(values.anchor)])
if (values.clock) setSpeedAndGrant(...clock, values.clock)
else setSpeed(...clock)
let isReady = false
process.on('unhandledRejection', (error) => failed('unhandled rejection:', error))
process.on('uncaughtException', (error) => failed('uncaught exception:', error))

const rconPassword = readFileSync(passwordFile, 'utf8').trim()
let isEnding = false
endWithWhoeverWantsIt()
const server = await start({
  host: values.host,
  port: Number(values.port),
  rconPort: Number(values['rcon-port']),
  rconPassword,
  seed: Number(values.seed),
  terrain: values.terrain,
  folder: values.world,
  replays: values.replays,
  strict: values.strict,
  allowFlight: values['allow-flight'],
  monsters: !values['no-monsters']
})
console.log(
  `ready: minecraft ${server.host}:${server.port}, rcon ${server.host}:${server.rconPort}`
)

isReady = true
keepShort(join(dirname(passwordFile), 'server.log'))
for (const signal of /** @type {NodeJS.Signals[]} */ (['SIGTERM', 'SIGINT'])) {
  process.on(signal, () => end())
}

if (values['ready-file']) {
  const { host, port, rconPort, terrain } = server
  const state = { host, port, rconPort, terrain, pid: process.pid }
  writeFileSync(`${values['ready-file']}.part`, JSON.stringify(state))
  renameSync(`${values['ready-file']}.part`, values['ready-file'])
}

/**
 * End the server when its owner process has ended for any reason. Until the server is announced,
 * also end it when the process that started it has ended.
 */
function endWithWhoeverWantsIt() {
  const owner = values.owner && Number(values.owner)
  let starter = values.starter && Number(values.starter)
  const check = wall.setInterval(() => {
    if (starter) {
      // check this first: the starter announces the server just before it ends
      const isThere = isRunning(starter)
      if (isKnown(passwordFile)) starter = ''
      else if (!isThere) return end()
    }
    if (owner && !isRunning(owner)) return end()
    if (!starter && !owner) clearInterval(check)
  }, OWNER_CHECK_MS)
}

/**
 * Handle a failure: before the server is ready, the server ends; later, only the client that caused
 * the failure is affected.
 * @param {string} what @param {unknown} error
 */
function failed(what, error) {
  console.error(what, error)
  if (/** @type {NodeJS.ErrnoException} */ (error)?.code === 'EADDRINUSE') process.exit(1)
  if (isReady) return
  console.error(
    `refused: the server cannot start: ${/** @type {Error} */ (error)?.message ?? error}`
  )
  process.exit(2)
}

/** Save the world, remove the files that announce the server, and exit. */
async function end() {
  if (isEnding) return
  isEnding = true
  await Promise.race([closed(), new Promise((done) => wall.setTimeout(done, CLOSE_MS))])
  clear(passwordFile, rconPassword, values.temporary, values.clock)
  process.exit(0)
}

/** Resolves once the world, if one has been created, is saved. */
const closed = async () => (isReady ? server.close() : undefined)

/** @param {import('./server.js').ServerOptions} options */
async function start(options) {
  try {
    return await createEmbeddedServer(options)
  } catch (error) {
    if (!(error instanceof WorldFolderError)) throw error
    console.error(`refused: ${error.message}`)
    process.exit(2)
  }
}
