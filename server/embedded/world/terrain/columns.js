/** New columns with one biome, whose sections each consist of a single block. */
import { Column } from '../../minecraft/index.js'

/** @import { Column as ColumnType } from '../../types/index.d.ts' */

const pattern = new Column()
const { maxBitsPerBlock } = pattern
const Blocks = Column.section
const Biomes = pattern.biomes[0].constructor

/**
 * @param {number} biome
 * @param {(bottom: number) => number} [stateFrom] block for the 16 layers from a height up; default air
 * @returns {ColumnType}
 */
export function newColumn(biome, stateFrom = () => 0) {
  const bottoms = pattern.sections.map((_, index) => pattern.minY + 16 * index)
  return new Column({
    sections: bottoms.map(
      (bottom) => new Blocks({ singleValue: stateFrom(bottom), maxBitsPerBlock })
    ),
    biomes: bottoms.map(() => new Biomes({ singleValue: biome }))
  })
}
