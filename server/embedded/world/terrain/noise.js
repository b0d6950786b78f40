/** Noise for terrain: numbers that depend only on the seed and the position. */

/**
 * @param {number} seed @param {number} x @param {number} z @param {number} [salt]
 * @returns {number} in [0, 1)
 */
export function hash(seed, x, z, salt = 0) {
  let h =
    (seed ^ Math.imul(x, 0x27d4eb2d) ^ Math.imul(z, 0x165667b1) ^ Math.imul(salt, 0x9e3779b1)) | 0
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return ((h ^ (h >>> 16)) >>> 0) / 4294967296
}

/** @param {number} t */
const smooth = (t) => t * t * (3 - 2 * t)

/**
 * Return value noise between lattice points.
 * @param {number} seed @param {number} x @param {number} z @returns {number} in [-1, 1]
 */
export function noise(seed, x, z) {
  const [x0, z0] = [Math.floor(x), Math.floor(z)]
  const [u, v] = [smooth(x - x0), smooth(z - z0)]
  const near = hash(seed, x0, z0) * (1 - u) + hash(seed, x0 + 1, z0) * u
  const far = hash(seed, x0, z0 + 1) * (1 - u) + hash(seed, x0 + 1, z0 + 1) * u
  return 2 * (near * (1 - v) + far * v) - 1
}

/**
 * Return noise on several scales, each half as strong as the one before.
 * @param {number} seed @param {number} x @param {number} z @param {number} octaves
 */
export function fractal(seed, x, z, octaves) {
  let [sum, strength, total] = [0, 1, 0]
  for (let octave = 0; octave < octaves; octave++) {
    sum += strength * noise(seed + octave * 1013, x * 2 ** octave, z * 2 ** octave)
    total += strength
    strength /= 2
  }
  return sum / total
}

/**
 * Return a random number generator for one column.
 * @param {number} seed @param {number} x @param {number} z
 */
export function columnRandom(seed, x, z) {
  let count = 0
  return () => hash(seed, x, z, ++count)
}
