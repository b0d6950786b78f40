/** Worker side of block uses: requests to a scenario's referee. */

/** @import { Post, UseBlock } from './types.d.ts' */

const NOTHING = 'nothing happens'

/**
 * @param {Post} post to the main thread, which asks Python
 * @param {boolean} refereed true if the scenario has a referee
 */
export function createBlockUseRequests(post, refereed) {
  let nextRequest = 0
  /** @type {Map<number, {resolve: (text: string) => void, reject: (error: Error) => void}>} */
  const waiting = new Map()
  return {
    /** @type {UseBlock} */
    ask: (block, { x, y, z }) =>
      new Promise((resolve, reject) => {
        if (!refereed) return resolve(NOTHING)
        const request = nextRequest++
        waiting.set(request, { resolve, reject })
        post({ op: 'event', event: { kind: 'block_used', block, position: [x, y, z], request } })
      }),
    /** @param {{request: number, ok: boolean, text: string}} answer */
    arrive: ({ request, ok, text }) => {
      const asked = waiting.get(request)
      waiting.delete(request)
      if (ok) asked?.resolve(text)
      else asked?.reject(new Error(text))
    }
  }
}
