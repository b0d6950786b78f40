/**
 * World: the columns of the overworld and the one way to change a block.
 *
 * Columns are generated when first asked for, from the seed alone. `setBlock` is done when it
 * returns, so that a check and its change cannot be torn apart; players hear of all changes of a
 * turn of the event loop together.
 */
import { registry, Vec3, World } from '../minecraft.js'
import { generators } from '../terrain/index.js'
import { stateAt } from './blocks.js'

/** From so many changes in a column on, its players get the column anew. */
const WHOLE_COLUMN = 1024

/** @param {any} serv @param {any} options */
export function server(serv, options) {
  const { terrain, seed } = options.world
  const generate = generators[terrain](seed)
  const world = new World(generate.column, null)
  world.unloadColumn = () => {}
  Object.assign(serv, { overworld: world, seed, terrain, worldSpawn: generate.spawn() })

  /** @param {number} chunkX @param {number} chunkZ @returns {any} the column, made if need be */
  serv.columnAt = (chunkX, chunkZ) => {
    const loaded = world.getLoadedColumn(chunkX, chunkZ)
    if (loaded) return loaded
    const column = generate.column(chunkX, chunkZ)
    world.setLoadedColumn(chunkX, chunkZ, column, false)
    serv.emit('columnMade', chunkX, chunkZ)
    return column
  }

  /** Makes all columns that a box touches. @param {any} low @param {any} high */
  serv.loadBox = (low, high) => {
    for (let x = low.x >> 4; x <= high.x >> 4; x++) {
      for (let z = low.z >> 4; z <= high.z >> 4; z++) serv.columnAt(x, z)
    }
  }

  /** @type {Map<string, Map<number, [any, number]>>} column → changes not told yet */
  const untold = new Map()

  /**
   * @param {any} position whole numbers
   * @param {number} state
   * @returns {boolean} whether anything changed
   */
  serv.setBlock = (position, state) => {
    const { x, y, z } = position
    const before = stateAt(world, position)
    const column = serv.columnAt(x >> 4, z >> 4)
    if (before === state || y < column.minY || y >= column.minY + column.worldHeight) return false
    column.setBlockStateId({ x: x & 15, y, z: z & 15 }, state)
    tellLater(position, state)
    serv.emit('blockChanged', new Vec3(x, y, z), before, state)
    return true
  }

  /** @param {any} position @param {number} state */
  function tellLater(position, state) {
    if (untold.size === 0) setImmediate(tell)
    const { x, y, z } = position
    const id = `${x >> 4},${z >> 4}`
    if (!untold.has(id)) untold.set(id, new Map())
    untold.get(id)?.set(((y + 64) << 8) | ((z & 15) << 4) | (x & 15), [new Vec3(x, y, z), state])
  }

  function tell() {
    for (const [id, changes] of untold) {
      const players = serv.players.filter((/** @type {any} */ p) => p.chunks.has(id))
      if (changes.size >= WHOLE_COLUMN) serv.resendColumn(id, players)
      else if (players.length) tellSections(players, [...changes.values()])
    }
    untold.clear()
  }

  /** @param {any[]} players @param {[any, number][]} changes */
  function tellSections(players, changes) {
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
    const [{ x, z }] = changes[0]
    for (const [y, records] of sections) {
      const chunkCoordinates = { x: x >> 4, y, z: z >> 4 }
      serv.send(players, 'multi_block_change', { chunkCoordinates, records })
    }
  }

  /** What a player should believe of a block. @param {any} player @param {any} position */
  serv.tellBlock = (player, position) =>
    player._client.write('block_change', { location: position, type: stateAt(world, position) })

  /** @param {any} position @param {number} action @param {number} value */
  serv.blockAction = (position, action, value) => {
    const block = registry.blocksByStateId[stateAt(world, position)]
    const id = `${position.x >> 4},${position.z >> 4}`
    const players = serv.players.filter((/** @type {any} */ p) => p.chunks.has(id))
    const fields = { location: position, byte1: action, byte2: value, blockId: block.id }
    serv.send(players, 'block_action', fields)
  }
}
