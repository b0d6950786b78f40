/** Puts flying-squid, our plugins and RCON together into one server. */
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
/** As many as clients are told there may be, and besides a hundred an address may connect (connections.js). */
const MOST_PLAYERS = 2000

/**
 * @typedef {object} ServerOptions
 * @property {string} host         address both ports bind to
 * @property {number} port         Minecraft port; 0 takes a free one
 * @property {number} rconPort     RCON port; 0 takes a free one
 * @property {string} rconPassword
 * @property {number} seed         world seed
 * @property {string} terrain      superflat or natural
 * @property {string} [folder]     where the world is kept; in memory only when left out
 * @property {boolean} [allowFlight] let players hang in the air
 * @property {boolean} [monsters] whether they come by themselves; they do when left out
 * @property {string} [replays]  folder for what ReplayMod shows of each client's stay
 * @property {boolean} strict      check each packet against the protocol (slow; for tests)
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
    keepAlive: false, // the library's, which kicks all where the server was late: network/keep-alive.js
    // The default hands the client an Error object as its reason, which is no text.
    errorHandler: (client, error) => client.end(error.message),
    logging: false,
    hideErrors: true, // the library prints whole packets that it cannot read
    validateChannelProtocol: false, // the library's own protocol, anew for each login: 40 ms of them
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

/** A saved world keeps its own seed and terrain. @param {ServerOptions} options */
function worldOf({ folder, seed, terrain }) {
  if (!folder) return { seed, terrain, manifest: null }
  const opened = openWorldFolder(folder)
  const { manifest, anvil } = opened
  const made = anvil ? 'anvil' : terrain
  return { ...opened, seed: manifest?.seed ?? seed, terrain: manifest?.terrain ?? made }
}
