/** Game rules: the ones that this server obeys or that scenarios set for Paper's sake. */

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
  pvp: true,
  randomTickSpeed: 3,
  sendCommandFeedback: true,
  showDeathMessages: true,
  spawnRadius: 10
}

/** @param {any} serv */
export function server(serv) {
  /** @type {Record<string, boolean | number>} */
  serv.gamerules = { ...DEFAULTS }
  serv.setGamerule = (/** @type {string} */ name, /** @type {boolean | number} */ value) => {
    serv.gamerules[name] = value
    if (name === 'doDaylightCycle') serv.tellTime(serv.players)
    if (name === 'doImmediateRespawn') {
      const fields = { reason: 'immediate_respawn', gameMode: value ? 1 : 0 }
      serv.send(serv.players, 'game_state_change', fields)
    }
  }
}
