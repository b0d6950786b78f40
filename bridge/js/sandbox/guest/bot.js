/** Inside the engine: the `bot` that agents' code sees. */
import { table } from './data.js'
import { createMovements, loadPlugin } from './modules.js'
import { allEntities, blockOfState, learnStates } from './things.js'
import { act, ask, call, host, once, setting } from './wire.js'
import { closeWindow } from './windows.js'

/** Fields that are read together, so that they belong to the same moment. */
const STATUS = ['experience', 'food', 'foodSaturation', 'game', 'health', 'isRaining', 'isSleeping']
STATUS.push('quickBarSlot', 'spawnPoint', 'targetDigBlock', 'time')
/** Methods that return an answer immediately. */
const LOOKING = ['blockAt', 'canDigBlock', 'canSeeBlock', 'digTime', 'getControlState', 'isABed']
LOOKING.push('recipesAll', 'recipesFor')
/** Methods that send something to the server and return immediately. */
const ACTING = ['activateItem', 'attack', 'chat', 'clearControlStates', 'deactivateItem']
ACTING.push('setControlState', 'setQuickBarSlot', 'stopDigging', 'swingArm')
ACTING.push('updateSign', 'useOn')
/** Methods that return a promise. */
const AWAITED = ['activateBlock', 'consume', 'craft', 'dig', 'equip', 'fish', 'look', 'lookAt']
AWAITED.push('openChest', 'openContainer', 'openFurnace', 'placeBlock', 'sleep', 'toss')
AWAITED.push('tossStack', 'unequip', 'waitForChunksToLoad', 'waitForTicks', 'wake')
const EVENTS = ['blockUpdate', 'chat', 'death', 'diggingCompleted', 'entityGone', 'entitySpawn']
EVENTS.push('goal_reached', 'health', 'physicsTick', 'playerCollect')
const MAX_LISTENERS = 50

/** @param {string[]} names @param {(name: string) => Function} make */
const each = (names, make) => Object.fromEntries(names.map((name) => [name, make(name)]))

/** @typedef {(...args: unknown[]) => unknown} Listener */

/** @param {(error: unknown) => void} onError receives errors thrown by the agent's listeners */
export function createBot(onError) {
  const listeners = createListeners(onError)
  const kept = createMovements()
  const readable = {
    entities: allEntities,
    entity: () => once('self', () => ask('self')),
    heldItem: () => status().heldItem,
    inventory: () => once('inventory', () => ask('inventory')),
    players: () => once('players', () => ask('players')),
    registry: () => table(['registry']),
    username: () => setting.username,
    version: () => setting.version,
    world: () => WORLD,
    ...each(STATUS, (name) => () => status()[name])
  }
  const bot = {
    ...each(LOOKING, asked),
    ...each(ACTING, acting),
    ...each(AWAITED, awaited),
    closeWindow,
    findBlock,
    findBlocks,
    loadPlugin: Object.freeze(loadPlugin),
    nearestEntity,
    pathfinder: Object.freeze({
      goto: named('goto', (/** @type {unknown} */ goal) => call('goto', goal)),
      getPathTo: (/** @type {unknown[]} */ ...args) =>
        ask('getPathTo', args.length > 1 ? args[1] : args[0]),
      isMoving: asked('isMoving'),
      get movements() {
        return kept.movements
      },
      setGoal: acting('setGoal'),
      setMovements: Object.freeze(kept.setMovements),
      stop: acting('stop')
    }),
    ...listeners.methods
  }
  for (const [name, get] of Object.entries(readable)) {
    Object.defineProperty(bot, name, { get, enumerable: true })
  }
  // Print a summary: the complete object graph would be megabytes.
  const printed = () => {
    const { username, health, food, entity } = /** @type {any} */ (bot)
    return { username, health, food, position: entity.position }
  }
  Object.defineProperty(bot, 'toJSON', { value: printed })
  return { bot: Object.freeze(bot), happened: listeners.happened }
}

const WORLD = Object.freeze({})
const status = () => once('status', () => ask('status'))

/** @param {string} name @param {Function} fn */
const named = (name, fn) => Object.freeze(Object.defineProperty(fn, 'name', { value: name }))
const asked = (/** @type {string} */ name) =>
  named(name, (/** @type {unknown[]} */ ...args) => ask(name, ...args))
const acting = (/** @type {string} */ name) =>
  named(name, (/** @type {unknown[]} */ ...args) => act(name, ...args))
const awaited = (/** @type {string} */ name) =>
  named(name, (/** @type {unknown[]} */ ...args) => call(name, ...args))

/**
 * Mineflayer's search. It calls a matching function once per block state in the area, not once per
 * block, with a block that has no position.
 * @param {any} options
 */
function findBlocks(options) {
  const { matching, point, maxDistance, count = 1, useExtraInfo } = options ?? {}
  const where = { point, maxDistance }
  const filter = typeof useExtraInfo === 'function' ? useExtraInfo : null
  const wanted =
    typeof matching === 'function'
      ? { states: matchingStates(matching, where) }
      : { types: matching }
  if (!filter) return ask('findBlocks', { ...where, ...wanted, count })
  const found = []
  for (const place of ask('findBlocks', { ...where, ...wanted, count: MOST_FILTERED })) {
    if (found.length >= count) break
    if (filter(ask('blockAt', place))) found.push(place)
  }
  return found
}
const MOST_FILTERED = 1000

/** @param {Function} matching @param {object} where */
function matchingStates(matching, where) {
  const near = ask('statesNear', where)
  learnStates(near)
  return near.filter((/** @type {number} */ state) => matching(blockOfState(state)))
}

/** @param {any} options */
function findBlock(options) {
  const [place] = findBlocks({ ...options, count: 1 })
  return place ? ask('blockAt', place) : null
}

/** @param {(entity: any) => unknown} matches */
function nearestEntity(matches = () => true) {
  const { id, position } = /** @type {any} */ (once('self', () => ask('self')))
  let nearest = null
  let least = Infinity
  for (const entity of Object.values(allEntities())) {
    if (entity.id === id || !matches(entity)) continue
    const distance = position.distanceSquared(entity.position)
    if (distance < least) [nearest, least] = [entity, distance]
  }
  return nearest
}

/** @param {(error: unknown) => void} onError */
function createListeners(onError) {
  /** @type {{event: string, fn: Listener, once: boolean}[]} */
  let mine = []
  const listened = (/** @type {string} */ event) =>
    host.listen(
      event,
      mine.some((entry) => entry.event === event)
    )
  const add =
    (/** @type {boolean} */ once) => (/** @type {string} */ event, /** @type {Listener} */ fn) => {
      if (!EVENTS.includes(event)) throw new Error(`there is no event "${event}" for agents`)
      if (typeof fn !== 'function') throw new TypeError('a listener is a function')
      if (mine.length >= MAX_LISTENERS) throw new Error(`more than ${MAX_LISTENERS} listeners`)
      mine.push({ event, fn, once })
      listened(event)
    }
  const remove = (/** @type {string} */ event, /** @type {Listener} */ fn) => {
    const index = mine.findIndex((entry) => entry.event === event && entry.fn === fn)
    if (index >= 0) mine.splice(index, 1)
    listened(event)
  }
  /** @param {string} event @param {unknown[]} args */
  const happened = (event, args) => {
    for (const entry of mine.filter((one) => one.event === event)) {
      if (entry.once) remove(event, entry.fn)
      try {
        const result = entry.fn(...args)
        if (result instanceof Promise) result.catch(onError)
      } catch (error) {
        onError(error)
      }
    }
  }
  const methods = { on: add(false), once: add(true), off: remove, removeListener: remove }
  return { methods, happened }
}
