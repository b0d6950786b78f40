/** Inside the engine: blocks, entities, items, recipes and goals as agents see them. */
import { Vec3 } from 'vec3'
import { ask, incoming, makers, now, once, pack, refer } from './wire.js'

Object.freeze(Vec3)
Object.freeze(Vec3.prototype)

const vector = (/** @type {[number, number, number]} */ [x, y, z]) => new Vec3(x, y, z)

makers.isVector = (value) => value instanceof Vec3
makers.v = ({ x, y, z }) => new Vec3(x, y, z)

/** Remove the constructor from a class's prototype. @param {{prototype: object}} kind */
function seal(kind) {
  Object.defineProperty(kind.prototype, 'constructor', { value: undefined })
  Object.freeze(kind.prototype)
}

// --- Blocks ----------------------------------------------------------------------------------

/** Data shared by all blocks with the same state, by state. @type {Map<number, any>} */
const states = new Map()

/** @param {number} state */
function stateOf(state) {
  const known = states.get(state)
  if (known) return known
  learnStates([state])
  return states.get(state)
}

/** Fetch the data of unknown states. @param {number[]} ids */
export function learnStates(ids) {
  const unknown = ids.filter((id) => !states.has(id))
  if (!unknown.length) return
  const learnt = ask('blockStates', unknown)
  unknown.forEach((id, index) => states.set(id, learnt[index]))
}

class Block {
  /**
   * @param {number} state
   * @param {any} own its position, light and biome; null if only the state is known
   */
  constructor(state, own) {
    Object.assign(this, stateOf(state).fields)
    this.stateId = state
    this.position = own ? vector(own.at) : null
    this.light = own?.light ?? 0
    this.skyLight = own?.skyLight ?? 0
    this.biome = own?.biome ?? { id: 0 }
    if (own?.text) this.signText = own.text
    if (own) refer(this, { $: 'b', at: own.at })
  }

  getProperties() {
    return { ...stateOf(this.stateId).properties }
  }

  /** @param {number | null} heldItemType */
  canHarvest(heldItemType) {
    const { harvestTools } = /** @type {any} */ (this)
    return !harvestTools || Boolean(heldItemType && harvestTools[heldItemType])
  }

  /** @param {unknown[]} args as for prismarine-block's method: held item's type, creative, in water, not on ground */
  digTime(...args) {
    return ask('stateDigTime', this.stateId, ...args.slice(0, 4))
  }

  getSignText() {
    return [.../** @type {any} */ (this.signText ?? [])]
  }
}
seal(Block)

/** Return a block with a state, without a position. @param {number} state */
export const blockOfState = (state) => new Block(state, null)
makers.b = (own) => new Block(own.state, own)

// --- Items and recipes -------------------------------------------------------------------------

class Item {
  /** @param {any} fields */
  constructor(fields) {
    Object.assign(this, fields)
  }

  toString() {
    const { name, count } = /** @type {any} */ (this)
    return `${count} ${name}`
  }
}
seal(Item)

makers.i = ({ $, ...fields }) =>
  refer(new Item(fields), { $, type: fields.type, slot: fields.slot ?? -1 })
makers.r = ({ $, type, index, recipe }) => refer(recipe, { $, type, index })

// --- Entities ----------------------------------------------------------------------------------

/** Known data of entities, by id. @type {Map<number, {seen: any, moment: number, thing: any}>} */
const entities = new Map()
const MAX_ENTITIES = 5000

/** @param {number} id of the entity whose current data to read */
function lookAt(id) {
  const known = /** @type {{seen: any, moment: number, thing: any}} */ (entities.get(id))
  if (known.moment === now()) return known.seen
  const seen = ask('entity', id)
  known.seen = seen ?? { ...known.seen, isValid: false }
  known.moment = now()
  return known.seen
}

class Entity {
  /** @param {number} id */
  constructor(id) {
    this.id = id
    refer(this, { $: 'e', id })
  }

  get position() {
    return vector(lookAt(this.id).position)
  }

  get velocity() {
    return vector(lookAt(this.id).velocity)
  }

  getDroppedItem() {
    return lookAt(this.id).dropped ?? null
  }

  getCustomName() {
    return lookAt(this.id).customName ?? null
  }
}
const SEEN = ['type', 'kind', 'name', 'displayName', 'username', 'uuid', 'yaw', 'pitch', 'onGround']
SEEN.push('height', 'width', 'health', 'isValid', 'equipment', 'heldItem', 'effects', 'isInWater')
for (const name of SEEN) {
  const get = /** @this {Entity} */ function () {
    return lookAt(this.id)[name]
  }
  Object.defineProperty(Entity.prototype, name, { get, enumerable: true })
}
seal(Entity)

makers.e = ({ id, seen }) => {
  const known = entities.get(id)
  if (known) {
    Object.assign(known, { seen: incomingEntity(seen), moment: now() })
    return known.thing
  }
  if (entities.size > MAX_ENTITIES) entities.clear()
  const thing = new Entity(id)
  entities.set(id, { seen: incomingEntity(seen), moment: now(), thing })
  return Object.freeze(thing)
}
makers.s = ({ seen }) => incomingEntity(seen)

/** @param {any} seen */
function incomingEntity(seen) {
  const { equipment = [], dropped, ...more } = seen
  const worn = incoming(equipment)
  return { ...more, equipment: worn, heldItem: worn[0] ?? null, dropped: incoming(dropped ?? null) }
}

/** Return all entities that the bot knows, by id. @returns {Record<string, any>} */
export const allEntities = () =>
  once('entities', () => {
    const list = ask('entities')
    return Object.fromEntries(list.map((/** @type {any} */ entity) => [entity.id, entity]))
  })

// --- Goals -------------------------------------------------------------------------------------

const GOALS = {
  GoalBlock: ['x', 'y', 'z'],
  GoalBreakBlock: ['x', 'y', 'z'],
  GoalCompositeAll: ['goals'],
  GoalCompositeAny: ['goals'],
  GoalFollow: ['entity', 'range'],
  GoalGetToBlock: ['x', 'y', 'z'],
  GoalInvert: ['goal'],
  GoalLookAtBlock: ['pos', 'world', 'options'],
  GoalNear: ['x', 'y', 'z', 'range'],
  GoalNearXZ: ['x', 'z', 'range'],
  GoalPlaceBlock: ['pos', 'world', 'options'],
  GoalXZ: ['x', 'z'],
  GoalY: ['y']
}

/** Constructors of goals, by name; a goal is a name with its arguments. */
export const goalMakers = Object.fromEntries(
  Object.entries(GOALS).map(([name, fields]) => {
    /** Called with `new`, which works because a constructor may return another object. */
    const make = function (/** @type {unknown[]} */ ...args) {
      const goal = Object.create(null)
      fields.forEach((field, index) => (goal[field] = args[index]))
      const reference = { $: 'g', name, args: args.map((arg) => pack(name, arg)) }
      return Object.freeze(refer(goal, reference))
    }
    return [name, Object.freeze(make)]
  })
)
