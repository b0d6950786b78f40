/**
 * Timers for a clock that may wait. They fire once the clock has reached their time, in the order
 * of these times, like Node's own timers. `clock.js` installs them in place of Node's.
 */
import { promisify } from 'node:util'

/** Node's own timers, which follow the wall clock. */
export const wallTimers = {
  setTimeout: globalThis.setTimeout,
  setInterval: globalThis.setInterval,
  clearTimeout: globalThis.clearTimeout
}

/**
 * @typedef {object} Clock
 * @property {() => number} now its time in milliseconds
 * @property {number} speed maximum speed relative to the wall clock
 */
/** @typedef {{timer: Timer, due: number, order: number}} Entry */

const LONGEST_WAIT_MS = 1_000_000
/** Cancelled entries are purged once there are this many of them and they are the majority. */
const MANY = 64

/** @type {Clock} */
let clock = { now: Date.now, speed: 1 }
/** Binary heap: no entry precedes its parent. @type {Entry[]} */
let heap = []
let pending = 0
/** Number of pending timers that keep the process alive. */
let staying = 0
let order = 0
/** Fires when the first entry may be due. @type {NodeJS.Timeout | null} */
let alarm = null
let alarmAt = Infinity
/** Immediates, one for each timer that is due. @type {Set<NodeJS.Immediate>} */
const bells = new Set()
/** Timers that were converted to numbers. @type {Map<number, Timer>} */
const numbered = new Map()

/** Result of `setTimeout` and `setInterval`, with the same methods as Node's. */
class Timer {
  /** @type {Entry | null} */
  entry = null
  isRef = true
  isCleared = false

  /** @param {Function} call @param {any[]} rest @param {unknown} ms @param {boolean} repeats */
  constructor(call, rest, ms, repeats) {
    if (typeof call !== 'function') {
      const error = new TypeError('The "callback" argument must be of type function')
      throw Object.assign(error, { code: 'ERR_INVALID_ARG_TYPE' })
    }
    this.call = call
    this.rest = rest
    // Timers without a delay fire even while the clock waits.
    this.ms = Number(ms) > 1 ? Number(ms) : Number(repeats)
    this.repeats = repeats
    this.start(clock.now() + this.ms)
  }

  /** @param {number} due */
  start(due) {
    if (!this.entry) {
      pending += 1
      if (this.isRef) staying += 1
    }
    this.entry = { timer: this, due, order: ++order }
    push(this.entry)
    wake()
  }

  ref() {
    if (!this.isRef && this.entry) staying += 1
    this.isRef = true
    stay()
    return this
  }

  unref() {
    if (this.isRef && this.entry) staying -= 1
    this.isRef = false
    stay()
    return this
  }

  hasRef() {
    return this.isRef
  }

  refresh() {
    if (!this.isCleared) this.start(clock.now() + this.ms)
    return this
  }

  close() {
    this.isCleared = true
    this.end()
    return this
  }

  end() {
    if (!this.entry) return
    this.entry = null
    pending -= 1
    if (this.isRef) staying -= 1
    for (const [number, timer] of numbered) if (timer === this) numbered.delete(number)
    stay()
    if (heap.length > MANY && heap.length > 2 * pending) {
      // a sorted array is a heap
      heap = heap.filter(counts).sort((a, b) => (isBefore(a, b) ? -1 : 1))
    }
  }

  [Symbol.toPrimitive]() {
    const number = this.entry?.order ?? 0
    if (this.entry) numbered.set(number, this)
    return number
  }

  [Symbol.dispose]() {
    this.close()
  }
}

/** @param {Entry} entry */
const counts = (entry) => entry.timer.entry === entry

/** @param {Entry} a @param {Entry} b */
const isBefore = (a, b) => a.due < b.due || (a.due === b.due && a.order < b.order)

/** @param {Entry} entry */
function push(entry) {
  let at = heap.length
  while (at > 0) {
    const above = (at - 1) >> 1
    if (!isBefore(entry, heap[above])) break
    heap[at] = heap[above]
    at = above
  }
  heap[at] = entry
}

function pop() {
  const last = /** @type {Entry} */ (heap.pop())
  if (!heap.length) return
  let at = 0
  for (;;) {
    let below = 2 * at + 1
    if (below + 1 < heap.length && isBefore(heap[below + 1], heap[below])) below += 1
    if (below >= heap.length || !isBefore(heap[below], last)) break
    heap[at] = heap[below]
    at = below
  }
  heap[at] = last
}

/** Return the first entry that is not cancelled. */
function first() {
  while (heap.length && !counts(heap[0])) pop()
  return heap.length ? heap[0] : null
}

/** Schedule a check of the first timer for the earliest moment at which it can be due. */
function wake() {
  const entry = first()
  if (!entry || bells.size) return stay()
  const wait = Math.max(1, (entry.due - clock.now()) / clock.speed)
  const at = wallNow() + wait
  if (!alarm || at < alarmAt) {
    if (alarm) wallTimers.clearTimeout(alarm)
    alarm = wallTimers.setTimeout(ring, Math.ceil(Math.min(wait, LONGEST_WAIT_MS)))
    alarmAt = at
  }
  stay()
}

const wallNow = performance.now.bind(performance)

/** Keep the process alive, or let it end. */
function stay() {
  for (const one of [alarm, ...bells]) {
    if (staying > 0) one?.ref()
    else one?.unref()
  }
}

/**
 * Fire all due timers in one turn of the event loop. As in Node, promises that one timer settles
 * are handled before the next timer fires. With one timer per turn, a `setTimeout(0)` that waits
 * behind others would run too late: only after the packets for which it should prepare have been
 * answered.
 */
function ring() {
  if (alarm) wallTimers.clearTimeout(alarm)
  ;[alarm, alarmAt] = [null, Infinity]
  const now = clock.now()
  const due = heap.filter((entry) => counts(entry) && entry.due <= now).length
  for (let k = 1; k < due; k++) {
    const bell = setImmediate(() => {
      bells.delete(bell)
      fireFirst()
    })
    bells.add(bell)
  }
  fireFirst()
}

/** Fire the first due timer. */
function fireFirst() {
  const now = clock.now()
  const entry = first()
  if (!entry || entry.due > now) return wake()
  pop()
  const { timer } = entry
  const again = entry.due + timer.ms
  if (timer.repeats) timer.start(again > now ? again : now + timer.ms)
  else timer.end()
  wake()
  timer.call.apply(timer, timer.rest)
}

/** @param {any} timer */
function clear(timer) {
  const isNumber = ['number', 'string'].includes(typeof timer)
  const own = isNumber ? numbered.get(Number(timer)) : timer instanceof Timer && timer
  if (own) own.close()
  else wallTimers.clearTimeout(timer)
}

/**
 * Install these timers in place of Node's; timers that have already started keep following the wall
 * clock.
 * @param {Clock} next @param {number} shift milliseconds by which it is ahead of the previous clock
 */
export function installTimers(next, shift) {
  for (const entry of heap) entry.due += shift
  clock = next
  /** @param {boolean} repeats */
  const starter = (repeats) =>
    function (
      /** @type {Function} */ call,
      /** @type {unknown} */ ms,
      /** @type {any[]} */ ...rest
    ) {
      return new Timer(call, rest, ms, repeats)
    }
  Object.assign(globalThis, {
    setTimeout: starter(false),
    setInterval: starter(true),
    clearTimeout: clear,
    clearInterval: clear
  })
  Object.defineProperty(globalThis.setTimeout, promisify.custom, {
    value: (/** @type {unknown} */ ms, /** @type {unknown} */ value) =>
      new Promise((resolve) => new Timer(resolve, [value], ms, false))
  })
}
