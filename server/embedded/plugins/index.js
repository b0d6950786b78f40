/**
 * The embedded server's plugins: one file a capability.
 *
 * flying-squid stays as published and gives the server its life and its plugin interface; its own
 * plugins are all replaced, because they lose items, ignore tools, or cost too much with a hundred
 * players (docs/architecture.md has the list of reasons). A plugin exports any of
 * `server(serv, options)`, `player(player, serv)` and `entity(entity, serv)`, which are called for
 * the server, each player and each entity, and declares what it adds to them in additions.d.ts. Files
 * that are not in the list (loot.js, blocks.js, …) export functions that plugins share.
 */
import * as animals from './animals.js'
import * as anvil from './anvil.js'
import * as anvils from './anvils.js'
import * as archery from './archery.js'
import * as armour from './armour.js'
import * as beds from './beds.js'
import * as blockChanges from './block-changes.js'
import * as blockData from './block-data.js'
import * as blockEntities from './block-entities.js'
import * as boneMeal from './bone-meal.js'
import * as books from './books.js'
import * as bossbars from './bossbars.js'
import * as bottles from './bottles.js'
import * as bows from './bows.js'
import * as brewing from './brewing.js'
import * as buckets from './buckets.js'
import * as campfires from './campfires.js'
import * as chat from './chat.js'
import * as chests from './chests.js'
import * as chunks from './chunks.js'
import * as combat from './combat.js'
import * as commandBlocks from './command-blocks.js'
import * as commands from './commands.js'
import * as connections from './connections.js'
import * as containers from './containers.js'
import * as criteria from './criteria.js'
import * as death from './death.js'
import * as decoding from './decoding.js'
import * as delays from './delays.js'
import * as dimensions from './dimensions.js'
import * as digging from './digging.js'
import * as dispensers from './dispensers.js'
import * as dressing from './dressing.js'
import * as drops from './drops.js'
import * as eating from './eating.js'
import * as effects from './effects.js'
import * as enchanting from './enchanting.js'
import * as entities from './entities.js'
import * as equipment from './equipment.js'
import * as experience from './experience.js'
import * as explosions from './explosions.js'
import * as fallingBlocks from './falling-blocks.js'
import * as falls from './falls.js'
import * as fire from './fire.js'
import * as fishing from './fishing.js'
import * as fluids from './fluids.js'
import * as furnaces from './furnaces.js'
import * as gameModes from './game-modes.js'
import * as gamerules from './gamerules.js'
import * as gliding from './gliding.js'
import * as greeting from './greeting.js'
import * as growth from './growth.js'
import * as hangings from './hangings.js'
import * as hazards from './hazards.js'
import * as hearing from './hearing.js'
import * as health from './health.js'
import * as held from './held.js'
import * as herds from './herds.js'
import * as hoppers from './hoppers.js'
import * as hunger from './hunger.js'
import * as husbandry from './husbandry.js'
import * as inventory from './inventory.js'
import * as joining from './joining.js'
import * as journeys from './journeys.js'
import * as labels from './labels.js'
import * as keepAlive from './keep-alive.js'
import * as lecterns from './lecterns.js'
import * as light from './light.js'
import * as lightning from './lightning.js'
import * as lockstep from './lockstep.js'
import * as log from './log.js'
import * as monsterSpawning from './monster-spawning.js'
import * as monsters from './monsters.js'
import * as movement from './movement.js'
import * as network from './network.js'
import * as noteBlocks from './note-blocks.js'
import * as openWindows from './open-windows.js'
import * as openables from './openables.js'
import * as orbs from './orbs.js'
import * as pacing from './pacing.js'
import * as pets from './pets.js'
import * as placing from './placing.js'
import * as playerList from './player-list.js'
import * as playerdata from './playerdata.js'
import * as poses from './poses.js'
import * as portals from './portals.js'
import * as pots from './pots.js'
import * as power from './power.js'
import * as projectiles from './projectiles.js'
import * as random from './random.js'
import * as replays from './replays.js'
import * as riding from './riding.js'
import * as saddles from './saddles.js'
import * as saving from './saving.js'
import * as scores from './scores.js'
import * as statistics from './statistics.js'
import * as shields from './shields.js'
import * as sight from './sight.js'
import * as signs from './signs.js'
import * as sounds from './sounds.js'
import * as spawnEggs from './spawn-eggs.js'
import * as spawning from './spawning.js'
import * as stands from './stands.js'
import * as sunburn from './sunburn.js'
import * as storage from './storage.js'
import * as support from './support.js'
import * as taming from './taming.js'
import * as teams from './teams.js'
import * as teleports from './teleports.js'
import * as things from './things.js'
import * as ticks from './ticks.js'
import * as time from './time.js'
import * as totems from './totems.js'
import * as trading from './trading.js'
import * as trampling from './trampling.js'
import * as updates from './updates.js'
import { upstream } from './upstream.js'
import * as using from './using.js'
import * as vehicles from './vehicles.js'
import * as vitals from './vitals.js'
import * as weather from './weather.js'
import * as weaponEnchantments from './weapon-enchantments.js'
import * as ways from './ways.js'
import * as wool from './wool.js'
import * as world from './world.js'

/** @import { Plugin, Server } from '../types.d.ts' */

/** In the order in which they are called. @type {Plugin[]} */
const PLUGINS = [
  log,
  network,
  replays,
  dimensions,
  connections,
  decoding,
  greeting,
  random,
  gamerules,
  ticks,
  delays,
  time,
  weather,
  world,
  light,
  blockChanges,
  hearing,
  chunks,
  entities,
  labels,
  things,
  riding,
  sight,
  pacing,
  teleports,
  movement,
  poses,
  chat,
  sounds,
  inventory,
  held,
  equipment,
  openWindows,
  containers,
  chests,
  blockEntities,
  furnaces,
  brewing,
  campfires,
  keepAlive,
  lecterns,
  placing,
  using,
  bottles,
  dressing,
  vehicles,
  stands,
  hangings,
  spawnEggs,
  explosions,
  orbs,
  fallingBlocks,
  projectiles,
  bows,
  lightning,
  lockstep,
  fire,
  fishing,
  gliding,
  openables,
  power,
  hoppers,
  dispensers,
  noteBlocks,
  blockData,
  storage,
  commandBlocks,
  enchanting,
  anvils,
  trading,
  beds,
  signs,
  books,
  buckets,
  pots,
  growth,
  boneMeal,
  support,
  updates,
  fluids,
  drops,
  animals,
  monsters,
  ways,
  monsterSpawning,
  anvil,
  herds,
  digging,
  husbandry,
  archery,
  sunburn,
  wool,
  saddles,
  taming,
  pets,
  effects,
  shields,
  armour,
  hazards,
  totems,
  health,
  vitals,
  experience,
  falls,
  trampling,
  hunger,
  eating,
  combat,
  weaponEnchantments,
  death,
  statistics,
  journeys,
  scores,
  criteria,
  teams,
  bossbars,
  playerdata,
  saving,
  commands,
  portals,
  gameModes,
  playerList,
  spawning,
  joining
]

/** Makes every flying-squid server of this process use our plugins. Calling it again is harmless. */
export function installPlugins() {
  const server = (/** @type {Server} */ serv) => {
    Object.assign(serv, { players: [], uuidToPlayer: {}, entities: {} })
    serv.setMaxListeners(0) // plugins listen to the ticks
  }
  upstream.initPlugins = () => {
    upstream.builtinPlugins = [{ server }, ...PLUGINS]
  }
}
