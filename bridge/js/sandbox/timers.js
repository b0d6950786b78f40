/** Timers that die with the run. */

const MAX_TIMERS = 200
const MAX_DELAY_MS = 3_600_000

/**
 * @param {(cleanup: () => void) => void} atEnd
 * @param {(error: unknown) => void} onError an error thrown by a timer's function
 */
export function createTimers(atEnd, onError) {
  /** @type {Set<NodeJS.Timeout>} */
  const running = new Set()
  /** @type {Map<number, NodeJS.Timeout>} */
  const byId = new Map()
  let nextId = 1
  let over = false
  atEnd(() => {
    over = true
    for (const timer of running) clearTimeout(timer)
    running.clear()
  })

  const start =
    (/** @type {boolean} */ repeats) =>
    (/** @type {Function} */ fn, delay = 0, /** @type {unknown[]} */ ...args) => {
      if (over) throw new Error('the run is over')
      if (typeof fn !== 'function') throw new TypeError('a timer needs a function')
      if (running.size >= MAX_TIMERS) throw new Error(`more than ${MAX_TIMERS} timers`)
      const ms = Math.min(Math.max(Number(delay) || 0, repeats ? 10 : 0), MAX_DELAY_MS)
      const id = nextId++
      const fire = async () => {
        if (!repeats) running.delete(timer)
        try {
          await fn(...args)
        } catch (error) {
          onError(error)
        }
      }
      const timer = repeats ? setInterval(fire, ms) : setTimeout(fire, ms)
      running.add(timer)
      byId.set(id, timer)
      return id
    }
  const stop = (/** @type {number} */ id) => {
    const timer = byId.get(id)
    if (!timer) return
    clearTimeout(timer)
    running.delete(timer)
    byId.delete(id)
  }
  return {
    setTimeout: start(false),
    setInterval: start(true),
    clearTimeout: stop,
    clearInterval: stop
  }
}
