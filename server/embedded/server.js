/** Assembles flying-squid, our plugins and RCON into one server. */
import { createRequire } from 'node:module'
import { MINECRAFT_VERSION } from './minecraft/index.js'
import { installPlugins } from './plugins.js'
import { leaveUncompressed } from './network/network.js'
import { openWorldFolder } from './world/world-folder.js'
import { runCommand } from './commands/index.js'
import { startQuery } from './network/query.js'
import { startRcon } from './network/rcon.js'
import { plain, translated } from './minecraft/texts.js'

/** @import { Options, Server } from './types/index.d.ts' */

const require = createRequire(import.meta.url)

const MOTD = 'voxpolis embedded server'
const VIEW_DISTANCE = 6
/**
 * Maximum number of players that clients see. An address may open a hundred more connections
 * (connections.js).
 */
const MOST_PLAYERS = 2000

/**
 * @typedef {object} ServerOptions
 * @property {string} host         address both ports bind to
 * @property {number} port         Minecraft port; 0 chooses a free one
 * @property {number} rconPort     RCON port; 0 chooses a free one
 * @property {string} rconPassword
 * @property {number} seed         world seed
 * @property {string} terrain      superflat or natural
 * @property {string} [folder]     world folder; by default the world lives in memory
 * @property {boolean} [allowFlight] do not kick flying players
 * @property {boolean} [monsters] let monsters spawn; default true
 * @property {string} [replays]  folder for ReplayMod recordings of each client's stay
 * @property {boolean} strict      validate each packet against the protocol (slow; for tests)
 */

/**
 * @param {ServerOptions} options
 * @returns {Promise<{host: string, port: number, rconPort: number, terrain: string, serv: Server, close: () => Promise<void>}>}
 */
export async function createEmbeddedServer(options) {
  installPlugins()
  /** @type {{createMCServer: (options: Options) => Server}} */
  const { createMCServer } = require('flying-squid')
  const serv = createMCServer({
    motd: MOTD,
    host: options.host,
    port: options.port,
    version: MINECRAFT_VERSION,
    'max-players': MOST_PLAYERS,
    'online-mode': false,
    'view-distance': VIEW_DISTANCE,
    gameMode: 0,
    difficulty: 2,
    world: worldOf(options),
    strict: options.strict,
    allowFlight: options.allowFlight ?? false,
    monsters: options.monsters ?? true,
    replays: options.replays,
    beforeLogin: leaveUncompressed,
    // the library's keep-alive kicks all clients after a stall of the server; see
    // network/keep-alive.js
    keepAlive: false,
    // By default, the reason sent to the client would be an Error object instead of a text.
    errorHandler: (client, error) => client.end(error.message),
    logging: false,
    hideErrors: true, // the library prints whole packets that it cannot read
    // the library would compile its protocol for each login, which takes 40 ms
    validateChannelProtocol: false,
    plugins: {}
  })
  await Promise.all([
    new Promise((resolve) => serv.once('listening', resolve)),
    new Promise((resolve) => serv.once('pluginsReady', () => resolve(undefined)))
  ])
  const rcon = await startRcon({
    host: options.host,
    port: options.rconPort,
    password: options.rconPassword,
    run: async (line) => {
      const { texts } = await runCommand(serv, line, { title: { text: 'Rcon' }, level: 'op' })
      return texts.map(plain).join('\n')
    }
  })
  const { host } = options
  const query = await startQuery(serv, { host, port: serv.listeningPort, motd: MOTD })
  return {
    host,
    port: serv.listeningPort,
    rconPort: rcon.port,
    terrain: serv.terrain,
    serv,
    close: async () => {
      serv.stopTicks()
      query?.close()
      await rcon.close()
      for (const player of [...serv.players])
        player.kick(translated('multiplayer.disconnect.server_shutdown'))
      serv._server.close()
      await serv.closeWorld?.()
      await serv.replaysEnded()
    }
  }
}

/**
 * Return the world's options; a saved world keeps its seed and terrain.
 * @param {ServerOptions} options
 */
function worldOf({ folder, seed, terrain }) {
  if (!folder) return { seed, terrain, manifest: null }
  const opened = openWorldFolder(folder)
  const { manifest, anvil } = opened
  const made = anvil ? 'anvil' : terrain
  return { ...opened, seed: manifest?.seed ?? seed, terrain: manifest?.terrain ?? made }
}
