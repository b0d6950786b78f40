/**
 * Correct the order of light values within a section.
 *
 * A section's light is stored as two cells per byte, from west to east. prismarine-chunk reads it
 * as eight-byte numbers with the last byte first (BitArrayNoSpan, 1.18 and later). Without this
 * module, a bot on any server sees each row of sixteen cells with its pairs of cells in reverse
 * order. This module reverses the bytes.
 */

/** @param {Uint8Array} section @returns {Buffer} */
const turned = (section) => Buffer.from(section).swap64()

/**
 * Extend prismarine-chunk's class of columns (versions from 1.18) to read light in the correct
 * order.
 * @param {new (...args: any[]) => any} Column prismarine-chunk's
 */
export const readingLight = (Column) =>
  class extends Column {
    /**
     * @param {Uint8Array[]} sky light by section @param {Uint8Array[]} block
     * @param {any[]} masks of the sections sent
     */
    loadParsedLight(sky, block, ...masks) {
      super.loadParsedLight(sky.map(turned), block.map(turned), ...masks)
    }
  }
