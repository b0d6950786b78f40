/**
 * A rate limiter, by a token bucket: so much at once, and so much a second of game time after that.
 *
 * @param {{burst: number, perSecond: number, complaint: string}} limits
 * @returns {(count?: number) => void} takes so many tokens, one by itself, or throws the complaint; what is
 *   more than a burst is taken from a full bucket, and owed
 */
export function createRateLimiter({ burst, perSecond, complaint }) {
  let tokens = burst
  let last = Date.now()
  return (count = 1) => {
    const now = Date.now()
    tokens = Math.min(burst, tokens + ((now - last) / 1000) * perSecond)
    last = now
    if (tokens < Math.min(count, burst)) throw new Error(complaint)
    tokens -= count
  }
}
