/** Random numbers of the server's rules (loot), fixed by the server's seed. */

/** @param {any} serv @param {any} options */
export function server(serv, options) {
  serv.random = mulberry32(options.world.seed)
}

/** Mulberry32 (T. Ettinger, public domain): 32 bits of state, enough for loot. @param {number} seed */
function mulberry32(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
