/**
 * The embedded server's plugins: one file a capability.
 *
 * flying-squid stays as published and gives the server its life and its plugin interface; its own
 * plugins are all replaced, because they lose items, ignore tools, or cost too much with a hundred
 * players (docs/architecture.md has the list of reasons). A plugin exports any of
 * `server(serv, options)`, `player(player, serv)` and `entity(entity, serv)`, which are called for
 * the server, each player and each entity.
 */
import { createRequire } from 'node:module'
import * as animals from './animals.js'
import * as chat from './chat.js'
import * as chunks from './chunks.js'
import * as commands from './commands.js'
import * as containers from './containers.js'
import * as digging from './digging.js'
import * as drops from './drops.js'
import * as effects from './effects.js'
import * as entities from './entities.js'
import * as furnaces from './furnaces.js'
import * as gamerules from './gamerules.js'
import * as health from './health.js'
import * as inventory from './inventory.js'
import * as joining from './joining.js'
import * as log from './log.js'
import * as movement from './movement.js'
import * as network from './network.js'
import * as placing from './placing.js'
import * as playerdata from './playerdata.js'
import * as poses from './poses.js'
import * as random from './random.js'
import * as saving from './saving.js'
import * as scores from './scores.js'
import * as sounds from './sounds.js'
import * as time from './time.js'
import * as updates from './updates.js'
import * as world from './world.js'

const require = createRequire(import.meta.url)

/** In the order in which they are called. */
const PLUGINS = [
  log,
  network,
  random,
  gamerules,
  time,
  world,
  chunks,
  entities,
  movement,
  poses,
  chat,
  sounds,
  inventory,
  containers,
  furnaces,
  placing,
  updates,
  drops,
  animals,
  digging,
  effects,
  health,
  scores,
  playerdata,
  saving,
  commands,
  joining
]

/** Makes every flying-squid server of this process use our plugins. Calling it again is harmless. */
export function installPlugins() {
  const upstream = require('flying-squid/src/lib/plugins')
  const server = (/** @type {any} */ serv) =>
    Object.assign(serv, { players: [], uuidToPlayer: {}, entities: {} })
  upstream.initPlugins = () => {
    upstream.builtinPlugins = [{ server }, ...PLUGINS]
  }
}
