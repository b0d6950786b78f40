/** Block changes: players receive all changes from one turn of the event loop together. */
import { registry } from '../minecraft/index.js'
import { stateAt } from './blocks.js'

/** @import { Player, Position, Server } from '../types/index.d.ts' */
/** @typedef {[position: Position, state: number]} Change */

/** With at least this many changes in a column, the server sends the whole column. */
const WHOLE_COLUMN = 1024

/** @param {Server} serv */
export function server(serv) {
  /**
   * Column → unsent changes, by position in the column.
   * @type {Map<string, Map<number, Change>>}
   */
  const unsent = new Map()

  serv.on('blockChanged', (position, _before, state) => note(position, state))

  /** Send an unchanged block to all players who have its column. */
  serv.resendBlock = (position) => note(position, stateAt(serv.overworld, position))

  /** @param {Position} position @param {number} state */
  function note(position, state) {
    const { x, y, z } = position
    const [id, cell] = [columnOf(position), ((y + 64) << 8) | ((z & 15) << 4) | (x & 15)]
    // clients receive each state of a block, so that they know what became of their own actions
    if ((unsent.get(id)?.get(cell)?.[1] ?? state) !== state) tell()
    if (unsent.size === 0) setImmediate(tell)
    if (!unsent.has(id)) unsent.set(id, new Map())
    unsent.get(id)?.set(cell, [position, state])
  }

  function tell() {
    for (const [id, changes] of unsent) {
      const players = playersAt(serv, id)
      if (changes.size >= WHOLE_COLUMN) serv.resendColumn(id, players)
      else if (players.length) tellSections(serv, players, [...changes.values()])
    }
    unsent.clear()
  }

  /** Show a block to one player only, after all earlier changes. */
  serv.sendBlock = (player, position) => {
    tell()
    const type = stateAt(serv.overworld, position)
    player._client.write('block_change', { location: position, type })
  }

  /** Send a block action, such as an opening lid. */
  serv.blockAction = (position, action, value) => {
    const block = registry.blocksByStateId[stateAt(serv.overworld, position)]
    const fields = { location: position, byte1: action, byte2: value, blockId: block.id }
    serv.send(playersAt(serv, columnOf(position)), 'block_action', fields)
  }
}

/** @param {Position} position */
const columnOf = ({ x, z }) => `${x >> 4},${z >> 4}`

/** Return the players who have a column. @param {Server} serv @param {string} id */
const playersAt = (serv, id) => serv.players.filter((player) => player.chunks.has(id))

/** @param {Server} serv @param {Player[]} players @param {Change[]} changes of one column */
function tellSections(serv, players, changes) {
  if (changes.length === 1) {
    const [[location, type]] = changes
    return serv.send(players, 'block_change', { location, type })
  }
  /** @type {Map<number, number[]>} */
  const sections = new Map()
  for (const [{ x, y, z }, state] of changes) {
    const record = state * 4096 + (((x & 15) << 8) | ((z & 15) << 4) | (y & 15))
    sections.set(y >> 4, [...(sections.get(y >> 4) ?? []), record])
  }
  const [[{ x, z }]] = changes
  for (const [y, records] of sections) {
    const chunkCoordinates = { x: x >> 4, y, z: z >> 4 }
    serv.send(players, 'multi_block_change', { chunkCoordinates, records })
  }
}
