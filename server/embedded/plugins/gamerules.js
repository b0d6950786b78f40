/** Game rules: the ones that this server obeys or that scenarios set for Paper's sake. */

/** @typedef {typeof DEFAULTS & Record<string, boolean | number>} GameRules */
/** @import { Server } from '../types.d.ts' */

/** Vanilla's defaults. Rules for things that do not exist here are kept and have no effect. */
const DEFAULTS = {
  announceAdvancements: true,
  doDaylightCycle: true,
  doEntityDrops: true,
  doFireTick: true,
  doImmediateRespawn: false,
  doMobLoot: true,
  doMobSpawning: true,
  doTileDrops: true,
  doWeatherCycle: true,
  fallDamage: true,
  keepInventory: false,
  mobGriefing: true,
  naturalRegeneration: true,
  playersSleepingPercentage: 100,
  pvp: true,
  randomTickSpeed: 3,
  sendCommandFeedback: true,
  showDeathMessages: true,
  spawnRadius: 10
}

/** @param {Server} serv */
export function server(serv) {
  serv.gamerules = { ...DEFAULTS }
  serv.setGamerule = (name, value) => {
    serv.gamerules[name] = value
    if (name === 'doDaylightCycle') serv.tellTime(serv.players)
    if (name === 'doImmediateRespawn') {
      const fields = { reason: 'immediate_respawn', gameMode: value ? 1 : 0 }
      serv.send(serv.players, 'game_state_change', fields)
    }
  }
}
