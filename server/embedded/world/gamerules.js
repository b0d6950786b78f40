/** Game rules that this server obeys, or that scenarios set for Paper. */

/** @typedef {typeof DEFAULTS & Record<string, boolean | number>} GameRules */
/** @import { Server } from '../types/index.d.ts' */

/** Vanilla's defaults. Rules for features that this server lacks are stored without effect. */
const DEFAULTS = {
  announceAdvancements: true,
  blockExplosionDropDecay: true,
  commandBlockOutput: true,
  commandModificationBlockLimit: 32_768,
  disableElytraMovementCheck: false,
  disableRaids: false,
  doDaylightCycle: true,
  doEntityDrops: true,
  doFireTick: true,
  doImmediateRespawn: false,
  doInsomnia: true,
  doLimitedCrafting: false,
  doMobLoot: true,
  doMobSpawning: true,
  doPatrolSpawning: true,
  doTileDrops: true,
  doTraderSpawning: true,
  doVinesSpread: true,
  doWardenSpawning: true,
  doWeatherCycle: true,
  drowningDamage: true,
  enderPearlsVanishOnDeath: true,
  fallDamage: true,
  fireDamage: true,
  forgiveDeadPlayers: true,
  freezeDamage: true,
  globalSoundEvents: true,
  keepInventory: false,
  lavaSourceConversion: false,
  logAdminCommands: true,
  maxCommandChainLength: 65_536,
  maxCommandForkCount: 65_536,
  maxEntityCramming: 24,
  mobExplosionDropDecay: true,
  mobGriefing: true,
  naturalRegeneration: true,
  playersNetherPortalCreativeDelay: 1,
  playersNetherPortalDefaultDelay: 80,
  playersSleepingPercentage: 100,
  projectilesCanBreakBlocks: true,
  pvp: true,
  randomTickSpeed: 3,
  reducedDebugInfo: false,
  sendCommandFeedback: true,
  showDeathMessages: true,
  snowAccumulationHeight: 1,
  spawnRadius: 10,
  spectatorsGenerateChunks: true,
  tntExplosionDropDecay: false,
  universalAnger: false,
  waterSourceConversion: true
}

/** @param {Server} serv */
export function server(serv) {
  serv.gamerules = { ...DEFAULTS }
  serv.setGamerule = (name, value) => {
    serv.gamerules[name] = value
    if (name === 'doDaylightCycle') serv.sendTime(serv.players)
    if (name === 'doImmediateRespawn') {
      const fields = { reason: 'immediate_respawn', gameMode: value ? 1 : 0 }
      serv.send(serv.players, 'game_state_change', fields)
    }
  }
}
