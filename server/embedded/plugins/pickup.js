/** Picking up: dropped items go to the nearest player in reach who has room for them. */
import { cellOf, grouped, nearby } from './drop-cells.js'
import { SPECTATOR } from './game-modes.js'

/** @import { Drop, Player, Server } from '../types.d.ts' */

const REACH = { horizontal: 1.3, below: 0.75, above: 2.3 } // player's box grown by (1, 0.5, 1)

/** @param {Server} serv */
export function pickUpDrops(serv) {
  const isRipe = (/** @type {Drop} */ drop) => drop.ageTicks >= drop.pickupTicks
  const cells = grouped(serv.drops.values(), (drop) =>
    isRipe(drop) ? cellOf(drop.position) : null
  )
  if (!cells.size) return
  /** @type {{player: Player, drop: Drop, away: number}[]} */
  const pairs = []
  for (const player of serv.players) {
    if (player.isDead || player.gameMode === SPECTATOR || !player.spawned) continue
    for (const drop of nearby(cells, player.position)) {
      if (!inReach(player, drop)) continue
      pairs.push({ player, drop, away: player.position.distanceTo(drop.position) })
    }
  }
  pairs.sort((a, b) => a.away - b.away) // the nearest gets it
  for (const { player, drop } of pairs) if (serv.drops.has(drop.id)) pickUp(serv, player, drop)
}

/** @param {Server} serv @param {Player} player @param {Drop} drop */
function pickUp(serv, player, drop) {
  const before = drop.item.count
  const left = player.giveItem(drop.item)
  const taken = before - (left?.count ?? 0)
  if (!taken) return
  player.window.sendChanges(player.connection) // it has the item before it sees it go
  serv.send([...drop.watchers], 'collect', {
    collectedEntityId: drop.id,
    collectorEntityId: player.id,
    pickupItemCount: taken
  })
  serv.playSound('entity.item.pickup', drop.position, { volume: 0.2 })
  serv.emit('itemPickedUp', player, drop.item, taken)
  if (!left) return serv.removeDrop(drop)
  serv.changeDrop(drop, left)
}

/** @param {Player} player @param {Drop} drop */
function inReach(player, drop) {
  const offset = drop.position.minus(player.position)
  const { horizontal, below, above } = REACH
  return (
    Math.abs(offset.x) <= horizontal &&
    Math.abs(offset.z) <= horizontal &&
    offset.y >= -below &&
    offset.y <= above
  )
}
