/**
 * Criteria: what objectives count (minecraft.wiki: Scoreboard).
 *
 * Some criteria reflect a player's state (`health`, `food`, `air`, `armor`, `xp`, `level`) and
 * follow its changes; commands cannot change these scores. Others count kills, deaths or a
 * statistic (`minecraft.mined:minecraft.stone`). `dummy` and `trigger` change only by commands.
 */
import { registry } from '../minecraft/index.js'
import { armourPointsOf } from '../combat/armour.js'
import { COLOURS } from './teams.js'

/** @import { Entity, Player, Server } from '../types/index.d.ts' */

const BY_COMMANDS = ['dummy', 'trigger']
const KILLS = ['deathCount', 'playerKillCount', 'totalKillCount']
/**
 * State of a player by criterion, as whole numbers.
 * @type {Record<string, (player: Player) => number>}
 */
const STATES = {
  health: ({ health, absorption }) => Math.ceil(health + absorption),
  food: ({ food }) => food,
  air: ({ air }) => air,
  armor: armourPointsOf,
  xp: ({ totalPoints }) => totalPoints,
  level: ({ level }) => level
}
const STATE_NAMES = Object.keys(STATES)
const BY_TEAM = /^(teamkill|killedByTeam)\.(.+)$/

const blocks = registry.blocksByName
const items = registry.itemsByName
const entities = registry.entitiesByName
/**
 * Kinds of statistics, and a test for the names that each can count.
 * @type {Record<string, (name: string) => boolean>}
 */
const STATISTICS = {
  mined: (name) => Object.hasOwn(blocks, name),
  crafted: (name) => Object.hasOwn(items, name),
  used: (name) => Object.hasOwn(items, name),
  broken: (name) => Object.hasOwn(items, name),
  picked_up: (name) => Object.hasOwn(items, name),
  dropped: (name) => Object.hasOwn(items, name),
  killed: (name) => Object.hasOwn(entities, name),
  killed_by: (name) => Object.hasOwn(entities, name),
  custom: (name) => Object.hasOwn(registry.language, `stat.minecraft.${name}`)
}

/** Return true if commands cannot change scores of this criterion. @param {string} criterion */
export const isReadOnly = (criterion) => Object.hasOwn(STATES, criterion)

/** @param {string} text @returns {string | null} the criterion's full name, or null */
export function criterionOf(text) {
  if (BY_COMMANDS.includes(text) || KILLS.includes(text) || isReadOnly(text)) return text
  const colour = text.match(BY_TEAM)?.[2]
  if (colour) return COLOURS.includes(colour) ? text : null
  const [kind, name] = text.split(':').map((part) => part.replace(/^minecraft\./, ''))
  if (!name || !Object.hasOwn(STATISTICS, kind) || !STATISTICS[kind](name)) return null
  return `minecraft.${kind}:minecraft.${name}`
}

/**
 * Return all criteria without a parameter, and each kind of statistic combined with every name.
 * @returns {string[]}
 */
export function allCriteria() {
  const teams = ['teamkill', 'killedByTeam'].flatMap((kind) =>
    COLOURS.map((colour) => `${kind}.${colour}`)
  )
  const customs = Object.keys(registry.language)
    .filter((key) => key.startsWith('stat.minecraft.'))
    .map((key) => key.slice('stat.minecraft.'.length))
  /** @type {[string[], string[]][]} */
  const named = [
    [['mined'], Object.keys(blocks)],
    [['crafted', 'used', 'broken', 'picked_up', 'dropped'], Object.keys(items)],
    [['killed', 'killed_by'], Object.keys(entities)],
    [['custom'], customs]
  ]
  const statistics = named.flatMap(([kinds, names]) =>
    kinds.flatMap((kind) => names.map((name) => `minecraft.${kind}:minecraft.${name}`))
  )
  return [...BY_COMMANDS, ...KILLS, ...STATE_NAMES, ...teams, ...statistics]
}

/** @param {Server} serv */
export function server(serv) {
  /** @param {Player} player @param {string} criterion @param {(before: number) => number} next */
  function score(player, criterion, next) {
    for (const [name, objective] of serv.objectives) {
      if (objective.criterion !== criterion) continue
      serv.setScore(name, player.username, next(objective.scores.get(player.username) ?? 0))
    }
  }
  const more =
    (count = 1) =>
    (/** @type {number} */ before) =>
      before + count

  serv.on('counted', (player, kind, name, count) =>
    score(player, `minecraft.${kind}:minecraft.${name}`, more(count))
  )
  serv.on('playerDied', (player, _cause, by) => {
    score(player, 'minecraft.custom:minecraft.time_since_death', () => 0)
    score(player, 'deathCount', more())
    if (by?.type === 'player' && by !== player) killed(by, player)
  })
  serv.on('animalKilled', (by, animal) => by && killed(by, animal))

  /** @param {Player} player @param {Entity} victim */
  function killed(player, victim) {
    score(player, 'totalKillCount', more())
    if (victim.type !== 'player') return
    score(player, 'playerKillCount', more())
    const [own, other] = [player, victim].map(({ username }) => serv.teamOf(username)?.color)
    if (other && other !== 'reset') score(player, `teamkill.${other}`, more())
    if (own && own !== 'reset') score(victim, `killedByTeam.${own}`, more())
  }

  /** Last known states of each player. @type {WeakMap<Player, number[]>} */
  const known = new WeakMap()
  serv.on('tickEnd', () => {
    for (const player of serv.players) {
      if (!player.spawned) continue
      const before = known.get(player) ?? []
      const now = STATE_NAMES.map((name) => STATES[name](player))
      known.set(player, now)
      for (const [at, value] of now.entries()) {
        if (value !== before[at]) score(player, STATE_NAMES[at], () => value)
      }
    }
  })
}
