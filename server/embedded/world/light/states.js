/**
 * Light properties of block states: emission, opacity, and opaque faces.
 *
 * minecraft-data has these for each block's default state; other states follow vanilla
 * (minecraft.wiki: Light, Opacity). Everything is computed once, when light is first used.
 */
import { Block, registry } from '../../minecraft/index.js'
import { propertiesOf } from '../../blocks/blocks.js'

/** @import { BlockKind } from '../../types/index.d.ts' */

export const BRIGHTEST = 15
/** Resolution in sixteenths of a block, as fine as shapes are. */
const GRAIN = 16
const WHOLE_ROW = 0xffff

const COUNT = 1 + Math.max(...registry.blocksArray.map(({ maxStateId }) => maxStateId))

/** Blocks that stop light only at the faces that their shape fills (minecraft.wiki: Opacity). */
const BY_SHAPE =
  /(_slab|_stairs)$|^(snow|dirt_path|farmland|lectern|enchanting_table|end_portal_frame|piston|sticky_piston|piston_head|daylight_detector|stonecutter|sculk_sensor|calibrated_sculk_sensor|sculk_shrieker)$/

/** Emission while lit, for blocks whose default state is unlit. @type {[RegExp, number][]} */
const LIT = [
  [/^(furnace|blast_furnace|smoker)$/, 13],
  [/^redstone_lamp$/, 15],
  [/redstone_ore$/, 9],
  [/candle_cake$/, 3],
  [/^(waxed_)?copper_bulb$/, 15],
  [/^(waxed_)?exposed_copper_bulb$/, 12],
  [/^(waxed_)?weathered_copper_bulb$/, 8],
  [/^(waxed_)?oxidized_copper_bulb$/, 4]
]
/** @type {Record<string, number>} */
const TRIALS = {
  inactive: 0,
  waiting_for_players: 4,
  active: 8,
  waiting_for_reward_ejection: 8,
  ejecting_reward: 8,
  cooldown: 0
}
/** Emission of a respawn anchor, by its charges. */
const ANCHOR = [0, 3, 7, 11, 15]

/**
 * Other blocks whose emission depends on their state.
 * @type {[RegExp, (state: Record<string, string>) => number][]}
 */
const BY_STATE = [
  [/candle$/, ({ lit, candles }) => (lit === 'true' ? 3 * Number(candles) : 0)],
  [/^light$/, ({ level }) => Number(level)],
  [
    /^sea_pickle$/,
    ({ waterlogged, pickles }) => (waterlogged === 'true' ? 3 + 3 * Number(pickles) : 0)
  ],
  [/^cave_vines/, ({ berries }) => (berries === 'true' ? 14 : 0)],
  [/^respawn_anchor$/, ({ charges }) => ANCHOR[Number(charges)]],
  [/^trial_spawner$/, (state) => TRIALS[state.trial_spawner_state]],
  [
    /^glow_lichen$/,
    ({ waterlogged: _, ...faces }) => (Object.values(faces).includes('true') ? 7 : 0)
  ]
]

/**
 * @param {BlockKind} block @param {Record<string, string>} state
 * @returns {number} emission, 0 to 15
 */
function emissionOf(block, state) {
  const rule = BY_STATE.find(([names]) => names.test(block.name))
  if (rule) return rule[1](state)
  if (!('lit' in state)) return block.emitLight
  if (state.lit === 'false') return 0
  return LIT.find(([names]) => names.test(block.name))?.[1] ?? block.emitLight
}

/** @param {BlockKind} block @param {Record<string, string>} state @returns {number} opacity, 0 to 15 */
function opacityOf(block, state) {
  const isWhole = state.type === 'double' || (block.name === 'snow' && state.layers === '8')
  if (isWhole && BY_SHAPE.test(block.name)) return BRIGHTEST
  const base = state.extended === 'true' ? 0 : block.filterLight
  return state.waterlogged === 'true' ? Math.max(1, base) : base
}

/**
 * Return the boxes that determine a block's opaque faces.
 * @param {BlockKind} block @param {Record<string, string>} state @param {number} id
 */
function boxesOf({ name }, state, id) {
  // Snow is higher for light than for bodies that stand on it.
  if (name === 'snow') return [[0, 0, 0, 1, Number(state.layers) / 8, 1]]
  return Block.fromStateId(id, 0).shapes
}

/**
 * Return the sixteenths of each face that are filled, as one number per row.
 * @param {number[][]} boxes @returns {Uint16Array[]} in the order of DIRECTIONS
 */
function facesOf(boxes) {
  const faces = Array.from({ length: 6 }, () => new Uint16Array(GRAIN))
  const grain = (/** @type {number} */ value) => Math.round(Math.max(0, Math.min(1, value)) * GRAIN)
  for (const box of boxes) {
    for (const [face, [axis, isHigh]] of FACE_AXES.entries()) {
      const touches = isHigh ? box[axis + 3] > 1 - 1e-6 : box[axis] < 1e-6
      if (!touches) continue
      const [u, v] = [0, 1, 2].filter((other) => other !== axis)
      const [from, to] = [grain(box[u]), grain(box[u + 3])]
      const bits = ((1 << to) - 1) & ~((1 << from) - 1)
      for (let row = grain(box[v]); row < grain(box[v + 3]); row++) faces[face][row] |= bits
    }
  }
  return faces
}

/**
 * Down, up, north, south, west, east: the axis, and true for the side with the greater coordinate.
 * @type {[number, boolean][]}
 */
const FACE_AXES = [
  [1, false],
  [1, true],
  [2, false],
  [2, true],
  [0, false],
  [0, true]
]

/** State → emission. */
export const EMISSION = new Uint8Array(COUNT)
/** Opacity by state, from 0 to 15; each step costs at least one level. */
export const OPACITY = new Uint8Array(COUNT)
/** Index of the opaque shape by state; 0 for none. */
export const SHAPE = new Uint16Array(COUNT)
/** Shapes by that index. @type {Uint16Array[][]} */
const shapes = [facesOf([])]

/** Properties that affect light. */
const COUNTS = /^(lit|level|waterlogged|berries|charges|trial_spawner_state|extended)$/
/** @type {Map<string, number>} */
const numbers = new Map()
for (const block of registry.blocksArray) {
  const { minStateId: first, maxStateId: last } = block
  if (!BY_SHAPE.test(block.name) && !block.states.some(({ name }) => COUNTS.test(name))) {
    EMISSION.fill(block.emitLight, first, last + 1)
    OPACITY.fill(block.filterLight, first, last + 1)
    continue
  }
  for (let id = first; id <= last; id++) {
    const state = propertiesOf(id)
    EMISSION[id] = emissionOf(block, state)
    OPACITY[id] = opacityOf(block, state)
    if (!BY_SHAPE.test(block.name) || OPACITY[id] === BRIGHTEST) continue
    const faces = facesOf(boxesOf(block, state, id))
    const text = faces.join()
    if (!numbers.has(text)) numbers.set(text, shapes.push(faces) - 1)
    SHAPE[id] = numbers.get(text) ?? 0
  }
}

/** Whether two adjacent shapes stop light, by direction: 0 unknown, 1 no, 2 yes. */
const meetings = new Uint8Array(6 * shapes.length * shapes.length)

/**
 * Return true if the blocks in two cells together fill the face between the cells.
 * @param {number} from a shape @param {number} to another
 * @param {number} direction from the first to the second
 */
export function isShut(from, to, direction) {
  const at = (direction * shapes.length + from) * shapes.length + to
  if (!meetings[at]) {
    const [one, other] = [shapes[from][direction], shapes[to][direction ^ 1]]
    meetings[at] = one.every((row, index) => (row | other[index]) === WHOLE_ROW) ? 2 : 1
  }
  return meetings[at] === 2
}
