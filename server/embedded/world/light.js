/**
 * Light: computation on demand and updates to clients. light/field.js computes how it spreads.
 *
 * A column is lit when a player receives it or a rule asks for its light, together with its loaded
 * neighbours. Clients get light with a column, and changes twice a second; as in vanilla, light is
 * sent up to one section above the highest blocks.
 */
import { BRIGHTEST } from './light/states.js'
import { SECTIONS } from './light/layer.js'
import { LightField } from './light/field.js'
import { DAY_TICKS } from './time.js'
import { isNetherColumn, NETHER_LAYERS } from './dimensions.js'

/** @import { Fields, Position, Server } from '../types/index.d.ts' */
/** @import { LitColumn } from './light/column.js' */
/** @import { Layer } from './light/layer.js' */

/** Ticks between two light updates to players. */
const TELL_TICKS = 10
/** Maximum number of cells processed at a time, so that ticks stay short while an arena is built. */
const MOST_CELLS = 8192
const BOTTOM = -64
const TOP = BOTTOM + 16 * SECTIONS
/** Difference between the sky's brightest and darkest light. */
const MOST_DARKNESS = 11
const ALL = 2 ** SECTIONS - 1
const ALL_BRIGHT = Buffer.alloc(2048, 0xff)

/** @param {Server} serv */
export function server(serv) {
  const field = new LightField((x, z) => serv.overworld.getLoadedColumn(x, z))

  serv.on('blockChanged', ({ x, y, z }, before, after) =>
    field.change(x >> 4, z >> 4, cellOf({ x, y, z }), before, after)
  )

  /**
   * Return a column with light, and light its loaded neighbours.
   * @param {number} x @param {number} z
   */
  function lit(x, z) {
    const known = field.lit(x, z)
    if (known?.isAround) return known
    const column = field.light(x, z)
    if (!column) return null
    column.isAround = true
    for (const [dx, dz] of AROUND) {
      if (!field.light(x + dx, z + dz)) column.isAround = false
    }
    return column
  }

  /** @param {Position} position @param {'sky' | 'blocks'} kind @returns {number} */
  function levelAt(position, kind) {
    const { x, y, z } = position
    if (y >= TOP) return kind === 'sky' ? BRIGHTEST : 0
    const column = y < BOTTOM ? null : lit(Math.floor(x) >> 4, Math.floor(z) >> 4)
    if (!column) return 0
    field.settle(MOST_CELLS)
    return column[kind].get(cellOf(position))
  }

  serv.skyLightAt = (position) => levelAt(position, 'sky')
  serv.blockLightAt = (position) => levelAt(position, 'blocks')
  serv.brightnessAt = (position, darkness = serv.skyDarkness()) =>
    Math.max(serv.blockLightAt(position), serv.skyLightAt(position) - darkness)
  serv.openHeightAt = ({ x, z }) => {
    const column = lit(Math.floor(x) >> 4, Math.floor(z) >> 4)
    return BOTTOM + (column?.open[((Math.floor(z) & 15) << 4) | (Math.floor(x) & 15)] ?? 0)
  }
  serv.seesSky = (position) => serv.skyLightAt(position) === BRIGHTEST
  serv.skyDarkness = () => darknessAt(serv.time)

  serv.lightOf = (x, z) => {
    serv.columnAt(x, z)
    const column = /** @type {LitColumn} */ (lit(x, z))
    if (!column.told) column.told = wanted(column)
    else if (wanted(column) & ~column.told) field.altered.add(column)
    return fieldsOf(column, column.told, column.told)
  }

  /**
   * Return the lit columns around a column, including itself.
   * @param {LitColumn} column @returns {LitColumn[]}
   */
  const around = ({ x, z }) => AROUND.flatMap(([dx, dz]) => field.lit(x + dx, z + dz) ?? [])

  /**
   * Return the sections whose light clients get: those with blocks, and their neighbours.
   * @param {LitColumn} column
   */
  function wanted(column) {
    let used = 0
    for (const other of around(column)) used |= other.used()
    return (used | (used << 1) | (used >> 1)) & ALL
  }

  let isDue = false
  serv.on('tickEnd', () => {
    field.settle(MOST_CELLS)
    isDue ||= serv.tickCount % TELL_TICKS === 0
    if (!isDue || !field.isSettled) return
    isDue = false
    const { altered } = field
    field.altered = new Set()
    for (const column of altered) tell(column)
  })

  /** @param {LitColumn} column whose light changed, or from which clients need more sections */
  function tell(column) {
    const { x, z, sky, blocks, told } = column
    column.told |= wanted(column)
    const more = column.told & ~told
    if (more) {
      for (const other of around(column)) {
        if (other.told && wanted(other) & ~other.told) field.altered.add(other)
      }
    }
    const [ofSky, ofBlocks] = [sky.changed | more, blocks.changed | more]
    sky.changed = blocks.changed = 0
    if (!ofSky && !ofBlocks) return
    serv.forgetColumn({ x: x * 16, y: 0, z: z * 16 })
    const id = `${x},${z}`
    const players = serv.players.filter((player) => player.chunks.has(id))
    if (!players.length) return
    const fields = fieldsOf(column, ofSky, ofBlocks)
    serv.send(players, 'update_light', { chunkX: x, chunkZ: z, ...fields })
  }
}

/** @type {[number, number][]} */
const AROUND = [-1, 0, 1].flatMap((dx) =>
  [-1, 0, 1].map((dz) => /** @type {[number, number]} */ ([dx, dz]))
)

/** @param {Position} position */
const cellOf = ({ x, y, z }) =>
  ((Math.floor(y) - BOTTOM) << 8) | ((Math.floor(z) & 15) << 4) | (Math.floor(x) & 15)

/**
 * Return the sky's darkness, by vanilla's formula.
 * @param {number} time in ticks @returns {number}
 */
function darknessAt(time) {
  const share = (((time / DAY_TICKS - 0.25) % 1) + 1) % 1
  const angle = (share * 2 + (0.5 - Math.cos(share * Math.PI) / 2)) / 3
  const sun = 0.5 + 2 * Math.max(-0.25, Math.min(0.25, Math.cos(angle * 2 * Math.PI)))
  return Math.trunc((1 - sun) * MOST_DARKNESS)
}

/**
 * Restrict a bit mask to the Nether's sections; the Nether has no sky.
 * @param {number} bits of sections
 */
const netherBits = (bits) => bits & (((1 << NETHER_LAYERS.sections) - 1) << NETHER_LAYERS.first)

/**
 * Return the packet fields for the sections in two bit masks.
 * @param {LitColumn} column @param {number} sky @param {number} blocks @returns {Fields}
 */
function fieldsOf({ x, sky: skyLayer, blocks: blockLayer }, sky, blocks) {
  const isNether = isNetherColumn(x)
  const first = isNether ? NETHER_LAYERS.first : 0
  const ofSky = packedLayer(skyLayer, isNether ? 0 : sky, first)
  const ofBlocks = packedLayer(blockLayer, isNether ? netherBits(blocks) : blocks, first)
  return {
    skyLightMask: ofSky.mask,
    blockLightMask: ofBlocks.mask,
    emptySkyLightMask: ofSky.emptyMask,
    emptyBlockLightMask: ofBlocks.emptyMask,
    skyLight: ofSky.sections,
    blockLight: ofBlocks.sections
  }
}

/**
 * @param {Layer} layer @param {number} wanted bit mask of sections
 * @param {number} first section that clients have
 */
function packedLayer(layer, wanted, first) {
  const sections = []
  let [mask, empty] = [0, 0]
  for (let index = 0; index < SECTIONS; index++) {
    if (!(wanted & (1 << index))) continue
    layer.gather(index)
    const bit = 1 << (index - first + 1) // the first bit is the section below the world
    const section = layer.sections[index]
    if (section === null && layer.alike[index] === 0) empty |= bit
    else {
      mask |= bit
      sections.push(section ? Buffer.from(section) : brightSection(layer.alike[index]))
    }
  }
  const words = (/** @type {number} */ bits) => (bits ? [[0, bits]] : [])
  return { mask: words(mask), emptyMask: words(empty), sections }
}

/** @param {number} level */
const brightSection = (level) =>
  level === BRIGHTEST ? ALL_BRIGHT : Buffer.alloc(ALL_BRIGHT.length, level * 0x11)
