/**
 * The embedded server's plugins: one file a capability.
 *
 * flying-squid stays as published. Where one of its plugins is in the way, ours stands in its
 * place (`REPLACED`). A plugin exports any of `server(serv, options)`, `player(player, serv)` and
 * `entity(entity, serv)`, which flying-squid calls for the server, each player and each entity.
 */
import { createRequire } from 'node:module'
import * as chunks from './chunks.js'
import * as commands from './commands.js'
import * as containers from './containers.js'
import * as digging from './digging.js'
import * as drops from './drops.js'
import * as gamerules from './gamerules.js'
import * as inventory from './inventory.js'
import * as log from './log.js'
import * as playerdata from './playerdata.js'
import * as random from './random.js'
import * as sounds from './sounds.js'
import * as teleport from './teleport.js'
import * as visibility from './visibility.js'

const require = createRequire(import.meta.url)

/** Upstream plugins that ours replace, each with the reason. */
const REPLACED = [
  'chest', // opens an empty window; ours (containers) holds items and is shared
  'digging', // ignores tools, lets two players take one block's drop twice
  'errorHandler', // ends the process on any exception in a player's handler
  'inventory', // window clicks lose and duplicate items
  'log', // takes over the terminal
  'sound' // sends packets that 1.20.4 clients cannot read
]

const OURS = [
  log,
  random,
  gamerules,
  teleport,
  sounds,
  chunks,
  inventory,
  containers,
  drops,
  digging,
  playerdata,
  visibility,
  commands
]

let installed = false

/** Makes every flying-squid server of this process use our plugins. Calling it again is harmless. */
export function installPlugins() {
  if (installed) return
  installed = true
  const upstream = require('flying-squid/src/lib/plugins')
  const replaced = REPLACED.map((name) => require(`flying-squid/src/lib/plugins/${name}`))
  const init = upstream.initPlugins
  upstream.initPlugins = () => {
    init()
    const kept = upstream.builtinPlugins.filter((/** @type {any} */ p) => !replaced.includes(p))
    upstream.builtinPlugins = [...kept, ...OURS]
  }
}
