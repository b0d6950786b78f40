/** The `bot` that agent code sees: a list of what Mineflayer's bot may be asked for, and no more. */

/** Properties read through the membrane. */
const READABLE = [
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
  'version'
]

/** Methods called through the membrane. */
const CALLABLE = [
  'activateBlock',
  'attack',
  'blockAt',
  'canDigBlock',
  'canSeeBlock',
  'clearControlStates',
  'closeWindow',
  'consume',
  'craft',
  'dig',
  'digTime',
  'equip',
  'findBlock',
  'findBlocks',
  'getControlState',
  'look',
  'lookAt',
  'nearestEntity',
  'openChest',
  'openContainer',
  'openFurnace',
  'placeBlock',
  'recipesAll',
  'recipesFor',
  'setControlState',
  'stopDigging',
  'swingArm',
  'toss',
  'tossStack',
  'unequip',
  'waitForChunksToLoad',
  'waitForTicks'
]

const PATHFINDER = ['getPathTo', 'goto', 'isMoving', 'setGoal', 'stop']

/** Events that agent code may listen to; its listeners go with the run. */
const EVENTS = [
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
]

const MAX_LISTENERS = 50
const CHAT = { maxCharacters: 256, burst: 10, perSecond: 2 }

/**
 * @param {any} bot
 * @param {object} ports
 * @param {ReturnType<typeof import('./membrane.js').createMembrane>} ports.membrane
 * @param {() => void} ports.check throws once the run is over
 * @param {(event: object) => void} ports.emit
 * @param {(cleanup: () => void) => void} ports.atEnd
 * @param {(error: unknown) => void} ports.onError an error thrown by a listener of the agent's
 */
export function createFacade(bot, { membrane, check, emit, atEnd, onError }) {
  const { wrap, unwrap, method } = membrane
  const methods = (/** @type {any} */ owner, /** @type {string[]} */ names) =>
    Object.fromEntries(names.map((name) => [name, method(owner, name)]))
  const facade = {}
  for (const name of READABLE) {
    const get = () => {
      check()
      return wrap(bot[name])
    }
    Object.defineProperty(facade, name, { get, enumerable: true })
  }
  return Object.assign(facade, methods(bot, CALLABLE), {
    pathfinder: methods(bot.pathfinder, PATHFINDER),
    chat: createChat(bot, check, emit),
    ...createListeners(bot, { unwrap, check, atEnd, onError })
  })
}

/** @param {any} bot @param {() => void} check @param {(event: object) => void} emit */
function createChat(bot, check, emit) {
  let tokens = CHAT.burst
  let last = Date.now()
  return (/** @type {unknown} */ message) => {
    check()
    const text = String(message).slice(0, CHAT.maxCharacters)
    if (text.trimStart().startsWith('/')) {
      emit({ kind: 'command_refused', text })
      throw new Error('agents may not give server commands: a chat message cannot start with "/"')
    }
    tokens = Math.min(CHAT.burst, tokens + ((Date.now() - last) / 1000) * CHAT.perSecond)
    last = Date.now()
    if (tokens < 1) throw new Error('too many chat messages: wait before the next one')
    tokens -= 1
    bot.chat(text)
  }
}

/** @param {any} bot @param {{unwrap: (value: any) => any, check: () => void, atEnd: (cleanup: () => void) => void, onError: (error: unknown) => void}} ports */
function createListeners(bot, { unwrap, check, atEnd, onError }) {
  /** @type {{event: string, original: Function, listener: Function}[]} */
  const mine = []
  atEnd(() => mine.forEach(({ event, listener }) => bot.off(event, listener)))

  const add =
    (/** @type {'on' | 'once'} */ how) =>
    (/** @type {string} */ event, /** @type {Function} */ fn) => {
      check()
      if (!EVENTS.includes(event)) throw new Error(`there is no event "${event}" for agents`)
      if (mine.length >= MAX_LISTENERS) throw new Error(`more than ${MAX_LISTENERS} listeners`)
      const call = unwrap(fn)
      const listener = (/** @type {unknown[]} */ ...args) => {
        try {
          return call(...args)
        } catch (error) {
          onError(error) // must not reach Mineflayer, whose own work it would interrupt
        }
      }
      mine.push({ event, original: fn, listener })
      bot[how](event, listener)
    }
  const remove = (/** @type {string} */ event, /** @type {Function} */ fn) => {
    const index = mine.findIndex((entry) => entry.event === event && entry.original === fn)
    if (index < 0) return
    const [{ listener }] = mine.splice(index, 1)
    bot.off(event, listener)
  }
  return { on: add('on'), once: add('once'), off: remove, removeListener: remove }
}
