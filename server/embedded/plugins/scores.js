/**
 * Scoreboard objectives: the server's own count of what each player did.
 *
 * An objective counts by its criterion: `minecraft.mined:`, `minecraft.picked_up:` or
 * `minecraft.used:` with a block or item (`minecraft.stone`), `deathCount`, or `dummy` for what only
 * commands change. It counts from when it was added, as in vanilla.
 */
import { registry } from '../minecraft.js'

/** @import { Player, Server } from '../types.d.ts' */

const STATISTIC = /^minecraft\.(mined|picked_up|used):minecraft\.(\w+)$/

/** @typedef {{criterion: string, scores: Map<string, number>}} Objective */

/** @param {string} criterion @returns {boolean} */
export function isCriterion(criterion) {
  if (criterion === 'dummy' || criterion === 'deathCount') return true
  const [, kind, name] = criterion.match(STATISTIC) ?? []
  if (!kind) return false
  return name in (kind === 'mined' ? registry.blocksByName : registry.itemsByName)
}

/** @param {Server} serv */
export function server(serv) {
  serv.objectives = new Map()

  /** @param {Player} player @param {string} criterion @param {number} [count] */
  function score(player, criterion, count = 1) {
    for (const objective of serv.objectives.values()) {
      if (objective.criterion !== criterion) continue
      const before = objective.scores.get(player.username) ?? 0
      objective.scores.set(player.username, before + count)
    }
  }

  serv.on('blockDug', (player, _, block) =>
    score(player, `minecraft.mined:minecraft.${block.name}`)
  )
  serv.on('itemPickedUp', (player, item, count) =>
    score(player, `minecraft.picked_up:minecraft.${item.name}`, count)
  )
  serv.on('itemUsed', (player, item) => score(player, `minecraft.used:minecraft.${item.name}`))
  serv.on('playerDied', (player) => score(player, 'deathCount'))
}
