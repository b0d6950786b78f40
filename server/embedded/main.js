/**
 * Runs the embedded Minecraft 1.20.4 server until it is told to stop.
 *
 * `python -m server up --kind embedded` starts it; see `--help` there. Options arrive as
 * command-line flags, the RCON password only through a file, so that it never shows in `ps`.
 */
import { setSpeed, wall } from '../../clock.js'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { clear, isRunning } from './owner.js'
import { WorldFolderError } from './plugins/world-folder.js'
import { createEmbeddedServer } from './server.js'

const OWNER_CHECK_MS = 500
/** How long a server without an owner has to save its world. */
const CLOSE_MS = 5000

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
    speed: { type: 'string', default: '1' },
    anchor: { type: 'string', default: '0' },
    owner: { type: 'string' },
    temporary: { type: 'boolean', default: false },
    strict: { type: 'boolean', default: false }
  }
})

if (!values['password-file']) {
  console.error('The embedded server needs --password-file FILE (its RCON password).')
  process.exit(2)
}

setSpeed(Number(values.speed), Number(values.anchor))
process.on('unhandledRejection', (error) => console.error('unhandled rejection:', error))
process.on('uncaughtException', (error) => {
  console.error('uncaught exception:', error)
  const code = /** @type {NodeJS.ErrnoException} */ (error).code
  if (code === 'EADDRINUSE') process.exit(1)
})

const server = await start({
  host: values.host,
  port: Number(values.port),
  rconPort: Number(values['rcon-port']),
  rconPassword: readFileSync(values['password-file'], 'utf8').trim(),
  seed: Number(values.seed),
  terrain: values.terrain,
  folder: values.world,
  strict: values.strict
})
console.log(
  `ready: minecraft ${server.host}:${server.port}, rcon ${server.host}:${server.rconPort}`
)

if (values['ready-file']) {
  const { host, port, rconPort, terrain } = server
  const state = { host, port, rconPort, terrain, pid: process.pid }
  writeFileSync(`${values['ready-file']}.part`, JSON.stringify(state))
  renameSync(`${values['ready-file']}.part`, values['ready-file'])
}

if (values.owner) endWith(Number(values.owner))

for (const signal of /** @type {NodeJS.Signals[]} */ (['SIGTERM', 'SIGINT'])) {
  process.once(signal, async () => {
    await server.close()
    process.exit(0)
  })
}

/** Ends the server when the process that it was started for is gone, however it went. @param {number} owner */
function endWith(owner) {
  const check = wall.setInterval(async () => {
    if (isRunning(owner)) return
    clearInterval(check)
    await Promise.race([server.close(), new Promise((done) => wall.setTimeout(done, CLOSE_MS))])
    clear(String(values['password-file']), values.temporary)
    process.exit(0)
  }, OWNER_CHECK_MS)
}

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
