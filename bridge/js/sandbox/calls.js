/**
 * The only calls that agents' programs may make to their body.
 *
 * Each entry takes arguments that `incoming.js` has read, and returns data or a value that
 * `outgoing.js` converts to data.
 */
import { createRequire } from 'node:module'
import { speak, writeSign } from './chat.js'
import * as given from './incoming.js'
import * as told from './outgoing.js'
import { findPlaces, findPath, statesNear } from './searches.js'

/** @import { Bot, Emit } from '../types.d.ts' */

const require = createRequire(import.meta.url)
const loadBlocks = require('prismarine-block')

const MAX_STATES = 2000
const MAX_TICKS = 1e6
const CONTROLS = ['forward', 'back', 'left', 'right', 'jump', 'sprint', 'sneak']
const DESTINATIONS = ['hand', 'head', 'torso', 'legs', 'feet', 'off-hand']
const WINDOW_ACTIONS = ['close', 'deposit', 'putFuel', 'putInput', 'takeFuel', 'takeInput']
WINDOW_ACTIONS.push('takeOutput', 'withdraw')
const DATA_METHODS = ['isNewerOrEqualTo', 'isOlderThan', 'supportFeature']

/**
 * @typedef {object} Ports context of calls
 * @property {Bot} bot
 * @property {Emit} emit
 * @property {Record<string, any>} tables large tables, by name
 * @property {AbortSignal} signal fires when the run ends
 * @property {() => boolean} mayChat reserves quota for one line; false: drop the line
 */

/** @typedef {(ports: Ports, ...args: any[]) => unknown} Call */

/** @param {unknown} value @param {string[]} known @param {string} what @returns {any} */
function oneOf(value, known, what) {
  const found = known.find((one) => one === value)
  if (found === undefined) throw new TypeError(`${what} must be one of ${known.join(', ')}`)
  return found
}

/** @param {unknown} value */
const optionalId = (value) =>
  value === null || value === undefined ? null : given.whole(value, 'an id')

/** Reads: they return immediately and do not count as actions. @type {Record<string, Call>} */
export const LOOKS = {
  blockAt: ({ bot }, place) => told.blockData(bot.blockAt(given.vector(place))),
  blockStates: ({ bot }, ids) => {
    const Block = loadBlocks(bot.registry)
    if (!Array.isArray(ids) || ids.length > MAX_STATES) throw new TypeError('states are a list')
    return ids.map((id) => told.stateData(Block.fromStateId(given.whole(id, 'a state', 1e6), 0)))
  },
  canDigBlock: ({ bot }, block) =>
    Boolean(block) && bot.canDigBlock(given.block(bot, block, 'canDigBlock')),
  canSeeBlock: ({ bot }, block) => bot.canSeeBlock(given.block(bot, block, 'canSeeBlock')),
  data: ({ tables }, path, key) => rowOf(tables, path, given.text(key)),
  dataKeys: ({ tables }, path) => Object.keys(tableOf(tables, path)),
  dataMethod: ({ tables }, name, method, args) => {
    const table = tableOf(tables, [name])
    const call = table[oneOf(method, DATA_METHODS, 'a method')]
    return Boolean(call.apply(table, [given.text(args?.[0])]))
  },
  digTime: ({ bot }, block) => finite(bot.digTime(given.block(bot, block, 'digTime'))),
  entities: ({ bot }) => Object.values(bot.entities).map(told.entityData),
  entity: ({ bot }, id) => told.entityNow(bot.entities[given.whole(id, 'an entity')]),
  findBlocks: (ports, options) => findPlaces(ports.bot, options).map(told.vector),
  getControlState: ({ bot }, control) => bot.getControlState(oneOf(control, CONTROLS, 'a control')),
  getPathTo: ({ bot, signal }, goal) => findPath(bot, given.goal(bot, goal), signal),
  inventory: ({ bot }) => told.windowData(bot.inventory, false),
  isABed: ({ bot }, block) => bot.isABed(given.block(bot, block, 'isABed')),
  isMoving: ({ bot }) => bot.pathfinder.isMoving(),
  players: ({ bot }) => told.playersData(bot),
  recipesAll: ({ bot }, type, metadata, table) =>
    recipes(
      bot,
      type,
      bot.recipesAll(given.whole(type, 'an item'), optionalId(metadata), Boolean(table))
    ),
  recipesFor: ({ bot }, type, metadata, count, table) => {
    const least = count === null || count === undefined ? null : given.number(count, 'a count')
    const found = bot.recipesFor(
      given.whole(type, 'an item'),
      optionalId(metadata),
      least,
      Boolean(table)
    )
    return recipes(bot, type, found)
  },
  self: ({ bot }) => told.entityData(bot.entity),
  stateDigTime: ({ bot }, state, type, creative, inWater, notOnGround) => {
    const block = loadBlocks(bot.registry).fromStateId(given.whole(state, 'a state', 1e6), 0)
    return finite(
      block.digTime(optionalId(type), creative === true, inWater === true, notOnGround === true)
    )
  },
  statesNear: ({ bot }, options) => statesNear(bot, options),
  status: ({ bot }) => told.statusData(bot),
  window: ({ bot }, id) => {
    const open = given.openWindow(bot, id)
    return open ? told.windowSeen(open) : null
  }
}

/**
 * Actions that send something to the server and return immediately.
 * @type {Record<string, Call>}
 */
export const ACTS = {
  activateItem: ({ bot }, offHand) => bot.activateItem(offHand === true),
  attack: ({ bot }, entity) => bot.attack(given.entity(bot, entity, 'attack')),
  chat: speak,
  clearControlStates: ({ bot }) => bot.clearControlStates(),
  closeWindow: ({ bot }, window) => {
    const open = given.openWindow(bot, given.windowId(window))
    if (open) bot.closeWindow(open)
  },
  deactivateItem: ({ bot }) => bot.deactivateItem(),
  setControlState: ({ bot }, control, on) =>
    bot.setControlState(oneOf(control, CONTROLS, 'a control'), Boolean(on)),
  setGoal: ({ bot }, goal, dynamic) =>
    bot.pathfinder.setGoal(given.goal(bot, goal), dynamic === true),
  setQuickBarSlot: ({ bot }, slot) => {
    const found = given.whole(slot, 'a slot')
    if (found < 0 || found > 8) throw new TypeError('a slot is a number from 0 to 8')
    bot.setQuickBarSlot(found)
  },
  stop: ({ bot }) => bot.pathfinder.stop(),
  stopDigging: ({ bot }) => bot.stopDigging(),
  swingArm: ({ bot }, hand) => bot.swingArm(hand === 'left' ? 'left' : 'right'),
  updateSign: writeSign,
  useOn: ({ bot }, entity) => bot.useOn(given.entity(bot, entity, 'useOn'))
}

/**
 * Actions that send something to the server and take time.
 * @type {Record<string, (ports: Ports, ...args: any[]) => Promise<unknown>>}
 */
export const WORKS = {
  activateBlock: async ({ bot }, block) =>
    bot.activateBlock(given.block(bot, block, 'activateBlock')),
  consume: async ({ bot }) => bot.consume(),
  craft: async ({ bot }, recipe, count, table) => {
    const times = given.count(count ?? 1, 1000)
    const at = table ? given.block(bot, table, 'craft') : undefined
    await bot.craft(given.recipe(bot, recipe), times, at)
  },
  dig: async ({ bot }, block, look) =>
    bot.dig(given.block(bot, block, 'dig'), look === 'ignore' ? 'ignore' : look !== false),
  equip: async ({ bot }, item, destination) =>
    bot.equip(
      given.item(bot, item, 'equip'),
      oneOf(destination ?? 'hand', DESTINATIONS, 'a destination')
    ),
  fish: async ({ bot }) => bot.fish(),
  goto: async ({ bot }, goal) => {
    const found = given.goal(bot, goal)
    if (!found) throw new TypeError('goto needs a goal such as new GoalNear(x, y, z, 1)')
    await bot.pathfinder.goto(found)
  },
  look: async ({ bot }, yaw, pitch, force) =>
    bot.look(given.number(yaw, 'a yaw'), upright(given.number(pitch, 'a pitch')), force === true),
  lookAt: async ({ bot }, place, force) => bot.lookAt(given.vector(place), force === true),
  openChest: async (ports, target) => open(ports, target, 'openChest'),
  openContainer: async (ports, target) => open(ports, target, 'openContainer'),
  openFurnace: async ({ bot }, block) =>
    told.windowData(await bot.openFurnace(given.block(bot, block, 'openFurnace')), true),
  placeBlock: async ({ bot }, block, face) =>
    bot.placeBlock(given.block(bot, block, 'placeBlock'), given.vector(face)),
  sleep: async ({ bot }, bed) => bot.sleep(given.block(bot, bed, 'sleep')),
  toss: async ({ bot }, type, metadata, count) =>
    bot.toss(
      given.whole(type, 'an item'),
      optionalId(metadata),
      count == null ? null : given.count(count)
    ),
  tossStack: async ({ bot }, item) => bot.tossStack(given.item(bot, item, 'tossStack')),
  unequip: async ({ bot }, destination) =>
    bot.unequip(oneOf(destination, DESTINATIONS, 'a destination')),
  wake: async ({ bot }) => bot.wake(),
  windowAct: async ({ bot }, id, method, args) => {
    const window = /** @type {any} */ (given.openWindow(bot, id))
    const name = oneOf(method, WINDOW_ACTIONS, 'a method')
    if (!window && name === 'close') return
    if (!window) throw new Error('that window is no longer open')
    if (typeof window[name] !== 'function') throw new TypeError(`that window has no ${name}`)
    const moved = await window[name](...windowArguments(name, Array.isArray(args) ? args : []))
    return name.startsWith('take') ? told.itemData(moved) : undefined
  }
}

/**
 * Limit pitch to the range of a head; beyond it, the body would keep turning in the next program.
 * @param {number} pitch
 */
const upright = (pitch) => Math.max(-Math.PI / 2, Math.min(Math.PI / 2, pitch))

/**
 * Calls that take time and send nothing.
 * @type {Record<string, (ports: Ports, ...args: any[]) => Promise<unknown>>}
 */
export const WAITS = {
  waitForChunksToLoad: async ({ bot }) => bot.waitForChunksToLoad(),
  waitForTicks: async ({ bot, signal }, ticks) =>
    ticksOf(bot, given.number(ticks, 'ticks', MAX_TICKS), signal)
}

/**
 * Wait for some ticks of the bot's physics, or until the run ends.
 * @param {Bot} bot @param {number} ticks @param {AbortSignal} signal @returns {Promise<void>}
 */
function ticksOf(bot, ticks, signal) {
  return new Promise((resolve) => {
    let left = ticks
    const end = () => {
      bot.off('physicsTick', onTick)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const onTick = () => {
      if (--left <= 0) end()
    }
    bot.on('physicsTick', onTick)
    signal.addEventListener('abort', end)
    if (left <= 0 || signal.aborted) end()
  })
}

/** @param {string} name @param {unknown[]} args */
function windowArguments(name, args) {
  if (name === 'close' || name.startsWith('take')) return []
  const [type, metadata, count] = args
  return [
    given.whole(type, 'an item'),
    optionalId(metadata),
    count == null ? null : given.count(count)
  ]
}

/** @param {Ports} ports @param {unknown} target @param {string} method */
async function open({ bot }, target, method) {
  const found = given.isEntity(target)
    ? given.entity(bot, target, method)
    : given.block(bot, target, method)
  return told.windowData(await bot.openContainer(/** @type {any} */ (found)), true)
}

/** @param {Bot} bot @param {unknown} type @param {any[]} found */
const recipes = (bot, type, found) =>
  told.recipesData(found, bot.recipesAll(/** @type {number} */ (type), null, true))

/** @param {number} value */
const finite = (value) => (Number.isFinite(value) ? value : 1e12)

/** @param {Record<string, any>} tables @param {unknown} path */
function tableOf(tables, path) {
  let found = tables
  if (!Array.isArray(path) || !path.length || path.length > 8) throw new TypeError('no such table')
  for (const key of path) {
    const name = given.text(key)
    const own = Object.hasOwn(found, name) || isGetter(found, name)
    found = own ? found[name] : null
    if (found === null || typeof found !== 'object') throw new TypeError('no such table')
  }
  return found
}

/**
 * Rows of tables that are the same for all bots, created when a bot first reads them.
 * @type {Map<string, unknown>}
 */
const copied = new Map()

/** @param {Record<string, any>} tables @param {unknown} path @param {string} name */
function rowOf(tables, path, name) {
  const owner = tableOf(tables, path)
  if (!Object.hasOwn(owner, name) && !isGetter(owner, name)) return { $: 'u' }
  const whole = [.../** @type {unknown[]} */ (path).map((part) => given.text(part)), name]
  const place = whole.join('\n')
  if (whole[0] !== 'mcData') return told.row(owner[name], whole)
  if (!copied.has(place)) copied.set(place, told.row(owner[name], whole))
  return copied.get(place)
}

/** minecraft-data's tables are getters of its class. @param {object} owner @param {string} name */
function isGetter(owner, name) {
  const kind = Object.getPrototypeOf(owner)
  return (
    kind !== null &&
    kind !== Object.prototype &&
    Boolean(Object.getOwnPropertyDescriptor(kind, name)?.get)
  )
}
