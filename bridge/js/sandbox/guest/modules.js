/**
 * Inside the engine: the modules that programs commonly require, under their usual names.
 *
 * They provide what the room already has, or do nothing. The scenario decides how a body moves, so
 * settings for movements are stored and have no effect.
 */
import * as package_ from 'vec3'
import { table } from './data.js'
import { goalMakers } from './things.js'

/** The package's function that creates vectors from numbers, lists, objects and texts. */
const { v } = /** @type {any} */ (package_)
Object.freeze(v)
Object.freeze(v.prototype)

export const mcData = table(['mcData'])

/** mineflayer-pathfinder's settings, with upstream's fields; they have no effect. */
export class Movements {
  canDig = true
  canOpenDoors = false
  digCost = 1
  placeCost = 1
  liquidCost = 1
  entityCost = 1
  maxDropDown = 4
  dontCreateFlow = true
  dontMineUnderFallingBlock = true
  infiniteLiquidDropdownDistance = true
  allow1by1towers = true
  allowFreeMotion = false
  allowParkour = true
  allowSprinting = true
  allowEntityDetection = true
  /** @type {unknown[]} */
  scafoldingBlocks = []
  /** @type {unknown[]} */
  exclusionAreasBreak = []
  /** @type {unknown[]} */
  exclusionAreasPlace = []
  /** @type {unknown[]} */
  exclusionAreasStep = []
  blocksCantBreak = new Set()
  blocksToAvoid = new Set()
  carpets = new Set()
  climbables = new Set()
  emptyBlocks = new Set()
  entitiesToAvoid = new Set()
  fences = new Set()
  gravityBlocks = new Set()
  interactableBlocks = new Set()
  liquids = new Set()
  openable = new Set()
  passableEntities = new Set()
  replaceables = new Set()
}
Object.freeze(Movements.prototype)
Object.freeze(Movements)

/** The name that programs pass to `bot.loadPlugin`: the plugin is already loaded. */
export const pathfinder = Object.freeze(function pathfinder() {})

/** @param {unknown} plugin */
export function loadPlugin(plugin) {
  if (plugin !== pathfinder) {
    throw new TypeError('loadPlugin takes the pathfinder of mineflayer-pathfinder, and no other')
  }
}

/** Stores the movements that a program sets on `bot.pathfinder`. */
export function createMovements() {
  let kept = new Movements()
  return {
    get movements() {
      return kept
    },
    /** @param {unknown} movements */
    setMovements(movements) {
      if (!(movements instanceof Movements)) {
        throw new TypeError('setMovements needs new Movements(bot) of mineflayer-pathfinder')
      }
      kept = movements
    }
  }
}

/** @type {Readonly<Record<string, unknown>>} */
const MODULES = Object.freeze(
  Object.assign(Object.create(null), {
    vec3: v,
    'minecraft-data': Object.freeze(() => mcData),
    'mineflayer-pathfinder': Object.freeze({
      pathfinder,
      Movements,
      goals: Object.freeze({ ...goalMakers })
    })
  })
)
const NAMES = Object.keys(MODULES).join(', ')

/** @param {unknown} name */
export function require(name) {
  const found = typeof name === 'string' ? MODULES[name] : undefined
  if (found === undefined) throw new Error(`there is no module ${name}; there are: ${NAMES}`)
  return found
}
Object.freeze(require)
