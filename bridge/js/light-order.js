/**
 * Light in the order in which packets have it.
 *
 * A section's light is two cells a byte, from west to east. prismarine-chunk reads it as numbers of eight
 * bytes whose last byte comes first (BitArrayNoSpan, 1.18 and later), so that a bot sees each row of
 * sixteen with its pairs of cells the other way round, on any server. Here the bytes are turned before.
 */

/** @param {Uint8Array} section @returns {Buffer} */
const turned = (section) => Buffer.from(section).swap64()

/**
 * A class of columns as prismarine-chunk's for versions from 1.18, that reads light where it is.
 * @param {new (...args: any[]) => any} Column prismarine-chunk's
 */
export const readingLight = (Column) =>
  class extends Column {
    /** @param {Uint8Array[]} sky light by section @param {Uint8Array[]} block @param {any[]} masks which sections are told */
    loadParsedLight(sky, block, ...masks) {
      super.loadParsedLight(sky.map(turned), block.map(turned), ...masks)
    }
  }
