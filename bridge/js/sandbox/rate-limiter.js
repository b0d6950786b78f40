/**
 * Create a rate limiter, a token bucket with a burst and a refill per second of game time.
 * @param {{burst: number, perSecond: number, complaint: string}} limits
 * @returns {(count?: number) => void} takes tokens (default one), or throws the complaint; a count above the burst needs a full bucket and leaves a debt
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
