/** Worker side of signals: waits that sleep, and sends that are confirmed. */
import { createRateLimiter } from './rate-limiter.js'

/** @import { Post } from '../types.d.ts' */

const SENDS = { burst: 50, perSecond: 10, complaint: 'too many signals: wait before the next one' }

/** @param {Post} post to the main thread, which keeps the mailboxes */
export function createSignals(post) {
  const take = createRateLimiter(SENDS)
  let nextId = 0
  /** @type {Map<number, (signal: {from: string, name: string}) => void>} */
  const waits = new Map()
  /** @type {Map<number, (error: string | null) => void>} */
  const sends = new Map()
  return {
    /** @param {string | null} to @param {string} name @returns {Promise<void>} */
    send: (to, name) =>
      new Promise((resolve, reject) => {
        take()
        const ask = nextId++
        sends.set(ask, (error) => (error ? reject(new Error(error)) : resolve()))
        post({ op: 'send', ask, to, name })
      }),
    /**
     * @param {string | null} from @param {string} name
     * @returns {Promise<{from: string, name: string}>}
     */
    wait: (from, name) =>
      new Promise((resolve) => {
        const wait = nextId++
        waits.set(wait, resolve)
        post({ op: 'wait', wait, from, name })
      }),
    /** @param {{wait: number, from: string, name: string}} signal */
    arrive: ({ wait, ...signal }) => {
      waits.get(wait)?.(signal)
      waits.delete(wait)
    },
    /** @param {{ask: number, error: string | null}} message */
    sent: ({ ask, error }) => {
      sends.get(ask)?.(error)
      sends.delete(ask)
    },
    /** Drop the waits of a finished run. */
    forget: () => waits.clear()
  }
}
