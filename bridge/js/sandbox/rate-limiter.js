/**
 * A rate limiter, by a token bucket: so much at once, and so much a second of game time after that.
 *
 * @param {{burst: number, perSecond: number, complaint: string}} limits
 * @returns {() => void} takes one token, or throws the complaint
 */
export function createRateLimiter({ burst, perSecond, complaint }) {
  let tokens = burst
  let last = Date.now()
  return () => {
    const now = Date.now()
    tokens = Math.min(burst, tokens + ((now - last) / 1000) * perSecond)
    last = now
    if (tokens < 1) throw new Error(complaint)
    tokens -= 1
  }
}
