/**
 * Random numbers for the server's rules, determined by the server's seed.
 *
 * As in vanilla since 1.20.2, each loot table has a separate random sequence, so that a block's
 * drops do not depend on what else players dug; `random reset` restarts a sequence.
 */

/** @import { Options, Server } from '../types/index.d.ts' */

/** @param {Server} serv @param {Options} options */
export function server(serv, options) {
  let base = options.world.seed
  serv.random = mulberry32(base)

  /** @type {Map<string, () => number>} */
  const sequences = new Map()

  /** @param {string} name @param {number} seed */
  function start(name, seed) {
    const sequence = mulberry32(seed ^ hashOf(name))
    sequences.set(name, sequence)
    return sequence
  }

  serv.randomSequence = (name) => sequences.get(name) ?? start(name, base)

  serv.resetRandomSequence = (name, from = base) => void start(name, from)

  /** Reset all sequences, including unused ones; return the number of sequences. */
  serv.resetRandomSequences = (from = options.world.seed) => {
    const { size } = sequences
    base = from
    sequences.clear()
    return size
  }
}

/** Hash a text with FNV-1a, so that sequences with the same seed differ. @param {string} text */
function hashOf(text) {
  let hash = 0x811c9dc5
  for (const char of text) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193)
  return hash >>> 0
}

/**
 * Mulberry32 (T. Ettinger, public domain): 32 bits of state, enough for loot.
 * @param {number} seed
 */
function mulberry32(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
