/**
 * What catches a fall, and what a landing does, block by block (minecraft.wiki: Fall damage, Java Edition).
 */
import { registry } from '../minecraft.js'
import { propertiesOf } from './blocks.js'

/**
 * How a block receives who falls onto it.
 *
 * @typedef {object} Landing
 * @property {number} depth so much of the way down counts
 * @property {number} deeper blocks that count besides
 * @property {number} share of the damage that is done
 * @property {boolean} bounces whether it throws whoever does not sneak up again, unharmed
 * @property {string} cause damage type
 */

/** @type {Landing} */
const STONE = { depth: 1, deeper: 0, share: 1, bounces: false, cause: 'fall' }

/** Blocks that are not as stone, and in which of their states. @type {[name: RegExp, state: Record<string, string>, landing: Partial<Landing>][]} */
const LANDINGS = [
  [/^(hay_block|honey_block)$/, {}, { share: 0.2 }],
  [/^slime_block$/, {}, { bounces: true }],
  [/^powder_snow$/, {}, { share: 0 }],
  [/_bed$/, {}, { depth: 0.5 }],
  [
    /^pointed_dripstone$/,
    { vertical_direction: 'up', thickness: 'tip' },
    { deeper: 2, share: 2, cause: 'stalagmite' }
  ]
]

/**
 * Blocks that catch who is in them: with any part of the body that is lower than so much of their cell, or,
 * where they are climbed, with the feet. `share` is what is left of the fall, each time.
 * @type {[name: RegExp, rule: {height?: number, isClimbed?: boolean, share?: number}][]}
 */
const CATCHERS = [
  [/^(cobweb|sweet_berry_bush|powder_snow|bubble_column)$/, { height: 1 }],
  [/^(kelp|kelp_plant|seagrass|tall_seagrass)$/, { height: 8 / 9 }],
  [/^honey_block$/, { height: 15 / 16 }],
  [/^(ladder|vine|scaffolding|(weeping|twisting|cave)_vines(_plant)?)$/, { isClimbed: true }],
  [/^lava$/, { height: 8 / 9, share: 0.5 }]
]
const FULL_LEVEL = 8
const WATER_HEIGHT = 8 / 9

/** @typedef {{height: number, isClimbed: boolean, share: number}} Catcher */

/** @type {Map<number, Landing>} */
const landings = new Map()
/** @type {Map<number, Catcher | null>} */
const catchers = new Map()

/** @param {number} state @returns {Landing} */
export function landingOn(state) {
  const known = landings.get(state)
  if (known) return known
  const { name } = registry.blocksByStateId[state]
  const properties = propertiesOf(state)
  const found = LANDINGS.find(
    ([names, wanted]) =>
      names.test(name) && Object.entries(wanted).every(([key, value]) => properties[key] === value)
  )
  const landing = { ...STONE, ...found?.[2] }
  landings.set(state, landing)
  return landing
}

/** @param {number} state @returns {Catcher | null} how it catches who falls through it; null where it does not */
export function catcherOf(state) {
  let known = catchers.get(state)
  if (known === undefined) catchers.set(state, (known = catcherFor(state)))
  return known
}

/** @param {number} state @returns {Catcher | null} */
function catcherFor(state) {
  const { name } = registry.blocksByStateId[state]
  const usual = { height: 0, isClimbed: false, share: 0 }
  const [, rule] = CATCHERS.find(([names]) => names.test(name)) ?? []
  if (rule) return { ...usual, ...rule }
  const { level, waterlogged } = propertiesOf(state)
  if (name === 'water') {
    const down = Number(level) % FULL_LEVEL // 8 and more fall from above, and are full
    return { ...usual, height: (WATER_HEIGHT * (FULL_LEVEL - down)) / FULL_LEVEL }
  }
  return waterlogged === 'true' ? { ...usual, height: WATER_HEIGHT } : null
}

/** Half hearts, before armour. @param {Landing} landing @param {number} blocks fallen @param {number} safe blocks that do no harm */
export const fallDamage = ({ depth, deeper, share }, blocks, safe) =>
  Math.max(0, Math.ceil((blocks * depth + deeper - safe) * share))
