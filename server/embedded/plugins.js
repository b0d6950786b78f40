/**
 * The embedded server's plugins, in calling order. README.md says how to write one.
 *
 * flying-squid is used as published and provides connections and the plugin interface. Our plugins
 * replace all of its plugins, because those lose items, ignore tools, or cost too much with a
 * hundred players (docs/reference/architecture.md lists the reasons).
 */
import { upstream } from './process/upstream.js'
import * as beds from './blocks/beds.js'
import * as blockChanges from './blocks/block-changes.js'
import * as blockData from './blocks/block-data.js'
import * as blockEntities from './blocks/block-entities.js'
import * as digging from './blocks/digging.js'
import * as fallingBlocks from './blocks/falling-blocks.js'
import * as placing from './blocks/placing.js'
import * as pots from './blocks/pots.js'
import * as signs from './blocks/signs.js'
import * as support from './blocks/support.js'
import * as updates from './blocks/updates.js'
import * as armour from './combat/armour.js'
import * as bows from './combat/bows.js'
import * as combat from './combat/combat.js'
import * as explosions from './combat/explosions.js'
import * as projectiles from './combat/projectiles.js'
import * as shields from './combat/shields.js'
import * as weaponEnchantments from './combat/weapon-enchantments.js'
import * as entities from './entities/entities.js'
import * as hangings from './entities/hangings.js'
import * as labels from './entities/labels.js'
import * as orbs from './entities/orbs.js'
import * as pacing from './entities/pacing.js'
import * as riding from './entities/riding.js'
import * as sight from './entities/sight.js'
import * as stands from './entities/stands.js'
import * as things from './entities/things.js'
import * as vehicles from './entities/vehicles.js'
import * as death from './health/death.js'
import * as effects from './health/effects.js'
import * as falls from './health/falls.js'
import * as hazards from './health/hazards.js'
import * as health from './health/health.js'
import * as hunger from './health/hunger.js'
import * as totems from './health/totems.js'
import * as vitals from './health/vitals.js'
import * as books from './items/books.js'
import * as bottles from './items/bottles.js'
import * as buckets from './items/buckets.js'
import * as dressing from './items/dressing.js'
import * as drops from './items/drops.js'
import * as eating from './items/eating.js'
import * as equipment from './items/equipment.js'
import * as fishing from './items/fishing.js'
import * as held from './items/held.js'
import * as using from './items/using.js'
import * as animals from './mobs/animals.js'
import * as archery from './mobs/archery.js'
import * as herds from './mobs/herds.js'
import * as husbandry from './mobs/husbandry.js'
import * as monsterSpawning from './mobs/monster-spawning.js'
import * as monsters from './mobs/monsters.js'
import * as pets from './mobs/pets.js'
import * as saddles from './mobs/saddles.js'
import * as sunburn from './mobs/sunburn.js'
import * as taming from './mobs/taming.js'
import * as pathfinding from './mobs/pathfinding.js'
import * as wool from './mobs/wool.js'
import * as boneMeal from './nature/bone-meal.js'
import * as fire from './nature/fire.js'
import * as fluids from './nature/fluids.js'
import * as growth from './nature/growth.js'
import * as lightning from './nature/lightning.js'
import * as trampling from './nature/trampling.js'
import * as weather from './nature/weather.js'
import * as connections from './network/connections.js'
import * as decoding from './network/decoding.js'
import * as delays from './network/delays.js'
import * as hearing from './network/hearing.js'
import * as keepAlive from './network/keep-alive.js'
import * as lockstep from './network/lockstep.js'
import * as network from './network/network.js'
import * as replays from './network/replays.js'
import * as chat from './players/chat.js'
import * as commands from './players/commands.js'
import * as experience from './players/experience.js'
import * as gameModes from './players/game-modes.js'
import * as gliding from './players/gliding.js'
import * as joining from './players/joining.js'
import * as movement from './players/movement.js'
import * as playerdata from './players/playerdata.js'
import * as poses from './players/poses.js'
import * as spawning from './players/spawning.js'
import * as teleports from './players/teleports.js'
import * as log from './process/log.js'
import * as commandBlocks from './redstone/command-blocks.js'
import * as dispensers from './redstone/dispensers.js'
import * as hoppers from './redstone/hoppers.js'
import * as noteBlocks from './redstone/note-blocks.js'
import * as openables from './redstone/openables.js'
import * as power from './redstone/power.js'
import * as bossbars from './scores/bossbars.js'
import * as criteria from './scores/criteria.js'
import * as journeys from './scores/journeys.js'
import * as scores from './scores/scores.js'
import * as statistics from './scores/statistics.js'
import * as teams from './scores/teams.js'
import * as chests from './windows/chests.js'
import * as containers from './windows/containers.js'
import * as inventory from './windows/inventory.js'
import * as lecterns from './windows/lecterns.js'
import * as openWindows from './windows/open-windows.js'
import * as anvils from './workshops/anvils.js'
import * as brewing from './workshops/brewing-stands.js'
import * as campfires from './workshops/campfires.js'
import * as enchanting from './workshops/enchanting.js'
import * as furnaces from './workshops/furnaces.js'
import * as trading from './workshops/trading.js'
import * as anvil from './world/anvil.js'
import * as chunks from './world/chunks.js'
import * as dimensions from './world/dimensions.js'
import * as gamerules from './world/gamerules.js'
import * as light from './world/light.js'
import * as portals from './world/portals.js'
import * as random from './world/random.js'
import * as saving from './world/saving.js'
import * as sounds from './world/sounds.js'
import * as ticks from './world/ticks.js'
import * as time from './world/time.js'
import * as world from './world/world.js'

/** @import { Plugin, Server } from './types/index.d.ts' */

/** In calling order. @type {Plugin[]} */
const PLUGINS = [
  log,
  network,
  replays,
  dimensions,
  connections,
  decoding,
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
  pathfinding,
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
  spawning,
  joining
]

/** Make every flying-squid server in this process use our plugins. Idempotent. */
export function installPlugins() {
  const server = (/** @type {Server} */ serv) => {
    Object.assign(serv, { players: [], uuidToPlayer: {}, entities: {} })
    serv.setMaxListeners(0) // the server's plugins listen for many tick events
  }
  upstream.initPlugins = () => {
    upstream.builtinPlugins = [{ server }, ...PLUGINS]
  }
}
