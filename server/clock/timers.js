/**
 * Timers of a clock that may stand still: each goes off once the clock has reached its time, in the
 * order of these times, as Node's own do. `clock.js` puts them in front of Node's.
 */
import { promisify } from 'node:util'

/** Node's own, which go by the wall's clock. */
export const wallTimers = {
  setTimeout: globalThis.setTimeout,
  setInterval: globalThis.setInterval,
  clearTimeout: globalThis.clearTimeout
}

/**
 * @typedef {object} Clock
 * @property {() => number} now its time in milliseconds
 * @property {number} speed how many times as fast as the wall's it runs, at most
 */
/** @typedef {{timer: Timer, due: number, order: number}} Entry */

const LONGEST_WAIT_MS = 1_000_000
/** Entries that no longer count are thrown away together, once they are so many and most of all. */
const MANY = 64

/** @type {Clock} */
let clock = { now: Date.now, speed: 1 }
/** A binary heap: no entry comes before its parent. @type {Entry[]} */
let heap = []
let pending = 0
/** Pending timers for which the process is to stay. */
let staying = 0
let order = 0
/** Rings when the first entry may be due. @type {NodeJS.Timeout | null} */
let alarm = null
let alarmAt = Infinity
/** Ring at once, one for each timer that is due. @type {Set<NodeJS.Immediate>} */
const bells = new Set()
/** Those who were asked for their number. @type {Map<number, Timer>} */
const numbered = new Map()

/** What `setTimeout` and `setInterval` return: it does what Node's does. */
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
    // What asks for no time gets its turn while the clock stands, too.
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
      heap = heap.filter(counts).sort((a, b) => (isBefore(a, b) ? -1 : 1)) // what is sorted is a heap
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

/** The entry that is due first, of those that count. */
function first() {
  while (heap.length && !counts(heap[0])) pop()
  return heap.length ? heap[0] : null
}

/** Sees to it that the first timer is looked at when the clock, at its fastest, can have reached it. */
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

/** Lets the process end, or not. */
function stay() {
  for (const one of [alarm, ...bells]) {
    if (staying > 0) one?.ref()
    else one?.unref()
  }
}

/**
 * Lets all timers go off that are due, each after all promises that the one before settles, as in Node:
 * in one turn of the event loop, whatever else the process hears. A `setTimeout(0)` that had to wait for
 * others, one a turn, would come after packets that are answered to what it is to prepare for.
 */
function ring() {
  if (alarm) wallTimers.clearTimeout(alarm)
  ;[alarm, alarmAt] = [null, Infinity]
  const now = clock.now()
  const due = heap.filter((entry) => counts(entry) && entry.due <= now).length
  for (let k = 1; k < due; k++) {
    const bell = setImmediate(() => {
      bells.delete(bell)
      goOff()
    })
    bells.add(bell)
  }
  goOff()
}

/** Lets the timer go off that was due first. */
function goOff() {
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
 * Puts these timers in front of Node's; those that were started before go on by the wall's clock.
 * @param {Clock} next
 * @param {number} shift milliseconds by which it is ahead of the clock before
 */
export function putInFront(next, shift) {
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
