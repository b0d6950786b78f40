/** The `bot` that agent code sees: a list of what Mineflayer's bot may be asked for, and no more. */
import { createRateLimiter } from './rate-limiter.js'

/** @import { Bot, BotEventName, Emit } from '../types.d.ts' */

/** @typedef {(...args: unknown[]) => void} Listener */
/** @typedef {ReturnType<typeof import('./membrane.js').createMembrane>} Membrane */

/** Properties read through the membrane. */
const READABLE = /** @type {const} */ ([
  'entities',
  'entity',
  'experience',
  'food',
  'foodSaturation',
  'game',
  'health',
  'heldItem',
  'inventory',
  'isRaining',
  'isSleeping',
  'players',
  'quickBarSlot',
  'registry',
  'spawnPoint',
  'targetDigBlock',
  'time',
  'username',
  'version',
  'world'
])

/** Methods that only look. */
const LOOKING = [
  'blockAt',
  'canDigBlock',
  'canSeeBlock',
  'digTime',
  'findBlock',
  'findBlocks',
  'getControlState',
  'isABed',
  'nearestEntity',
  'recipesAll',
  'recipesFor',
  'waitForChunksToLoad',
  'waitForTicks'
]

/** Methods that send something to the server. */
const ACTING = [
  'activateBlock',
  'activateItem',
  'attack',
  'clearControlStates',
  'closeWindow',
  'consume',
  'craft',
  'deactivateItem',
  'dig',
  'equip',
  'fish',
  'look',
  'lookAt',
  'openChest',
  'openContainer',
  'openFurnace',
  'placeBlock',
  'setControlState',
  'setQuickBarSlot',
  'sleep',
  'stopDigging',
  'swingArm',
  'toss',
  'tossStack',
  'unequip',
  'useOn',
  'wake'
]

const PATHFINDER = ['getPathTo', 'goto', 'isMoving', 'setGoal', 'stop']

/** Events that agent code may listen to; its listeners go with the run. */
const EVENTS = /** @type {const} */ ([
  'blockUpdate',
  'chat',
  'death',
  'diggingCompleted',
  'entityGone',
  'entitySpawn',
  'goal_reached',
  'health',
  'physicsTick',
  'playerCollect'
])

const MAX_LISTENERS = 50
const MAX_CHAT_CHARACTERS = 256
const CHAT = {
  burst: 10,
  perSecond: 2,
  complaint: 'too many chat messages: wait before the next one'
}
/** More than a body does, and less than a server minds (Paper kicks at 500 packets a second). */
export const ACTIONS = {
  burst: 100,
  perSecond: 50,
  complaint: 'too many actions at once: await each one'
}

/**
 * @param {Bot} bot
 * @param {object} ports
 * @param {Membrane} ports.membrane
 * @param {() => void} ports.check throws once the run is over
 * @param {Emit} ports.emit
 * @param {(cleanup: () => void) => void} ports.atEnd
 * @param {(error: unknown) => void} ports.onError an error thrown by a listener of the agent's
 */
export function createFacade(bot, { membrane, check, emit, atEnd, onError }) {
  const { wrap, unwrap, method, action } = membrane
  const facade = {}
  for (const name of READABLE) {
    const get = () => {
      check()
      return wrap(bot[name])
    }
    Object.defineProperty(facade, name, { get, enumerable: true })
  }
  const each = (/** @type {string[]} */ names, /** @type {(name: string) => Function} */ make) =>
    Object.fromEntries(names.map((name) => [name, make(name)]))
  return Object.assign(facade, {
    ...each(LOOKING, (name) => method(bot, name)),
    ...each(ACTING, (name) => action(bot, name)),
    pathfinder: each(PATHFINDER, (name) => method(bot.pathfinder, name)),
    chat: createChat(bot, check, emit),
    ...createListeners(bot, { unwrap, check, atEnd, onError })
  })
}

/** @param {Bot} bot @param {() => void} check @param {Emit} emit */
function createChat(bot, check, emit) {
  const take = createRateLimiter(CHAT)
  return (/** @type {unknown} */ message) => {
    check()
    take()
    const text = String(message).slice(0, MAX_CHAT_CHARACTERS)
    if (text.trimStart().startsWith('/')) {
      emit({ kind: 'command_refused', text })
      throw new Error('agents may not give server commands: a chat message cannot start with "/"')
    }
    bot.chat(text)
  }
}

/** @param {Bot} bot @param {{unwrap: Membrane['unwrap'], check: () => void, atEnd: (cleanup: () => void) => void, onError: (error: unknown) => void}} ports */
function createListeners(bot, { unwrap, check, atEnd, onError }) {
  /** @type {{event: BotEventName, original: Function, listener: Listener}[]} */
  const mine = []
  atEnd(() => mine.forEach(({ event, listener }) => bot.off(event, listener)))

  const add =
    (/** @type {'on' | 'once'} */ how) =>
    (/** @type {string} */ event, /** @type {Function} */ fn) => {
      check()
      const name = EVENTS.find((known) => known === event)
      if (!name) throw new Error(`there is no event "${event}" for agents`)
      if (mine.length >= MAX_LISTENERS) throw new Error(`more than ${MAX_LISTENERS} listeners`)
      const call = unwrap(fn)
      const listener = (/** @type {unknown[]} */ ...args) => {
        try {
          return call(...args)
        } catch (error) {
          onError(error) // must not reach Mineflayer, whose own work it would interrupt
        }
      }
      mine.push({ event: name, original: fn, listener })
      bot[how](name, listener)
    }
  const remove = (/** @type {string} */ event, /** @type {Function} */ fn) => {
    const index = mine.findIndex((entry) => entry.event === event && entry.original === fn)
    if (index < 0) return
    const [found] = mine.splice(index, 1)
    bot.off(found.event, found.listener)
  }
  return { on: add('on'), once: add('once'), off: remove, removeListener: remove }
}
