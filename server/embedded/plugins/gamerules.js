/** Game rules: the ones that this server obeys or that scenarios set for Paper's sake. */

/** Vanilla's defaults. Rules for things that do not exist here are kept and have no effect. */
const DEFAULTS = {
  announceAdvancements: true,
  doDaylightCycle: true,
  doEntityDrops: true,
  doFireTick: true,
  doImmediateRespawn: false,
  doMobSpawning: true,
  doTileDrops: true,
  doWeatherCycle: true,
  fallDamage: true,
  keepInventory: false,
  mobGriefing: true,
  naturalRegeneration: true,
  pvp: true,
  randomTickSpeed: 3,
  sendCommandFeedback: true,
  showDeathMessages: true,
  spawnRadius: 10
}

/** @param {any} serv */
export function server(serv) {
  serv.gamerules = { ...DEFAULTS }
  serv.setGamerule = (/** @type {string} */ name, /** @type {boolean | number} */ value) => {
    serv.gamerules[name] = value
    if (name === 'doDaylightCycle') serv.doDaylightCycle = value
  }
}
