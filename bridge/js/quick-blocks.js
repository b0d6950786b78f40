/**
 * Blocks made by copying. prismarine-block looks up a state's data for each block requested, and a
 * tick of physics requests dozens of blocks. Here the data for a state is computed once.
 */
import { replaceExport } from './upstream.js'

/** Apply this to every copy of the package that is loaded later. */
export function installQuickBlocks() {
  replaceExport('prismarine-block', (load) => (registry) => quick(load(registry)))
}

/**
 * Return the same class with a `fromStateId` that copies. Each caller still gets a new block;
 * blocks share their biome, which is never written to.
 * @param {any} Block prismarine-block's class for a version that numbers states
 */
export function quick(Block) {
  const make = Block.fromStateId
  /**
   * Models to copy, by state; null: upstream creates the block.
   * @type {Map<number, object | null>}
   */
  const models = new Map()
  /** @type {Map<number, object>} */
  const biomes = new Map()
  const Copy = /** @type {new (model: object, biome: object) => object} */ (
    /** @type {unknown} */ (copy)
  )
  Copy.prototype = Block.prototype
  const fields = Object.keys(new Copy({}, {})).join()
  Block.fromStateId = (/** @type {number} */ state, /** @type {number} */ biome) => {
    let model = models.get(state)
    if (model === undefined) models.set(state, (model = plain(make(state, biome))))
    if (!model) return make(state, biome)
    const there = biomes.get(biome) ?? Object.freeze({ ...make(state, biome).biome })
    biomes.set(biome, there)
    return new Copy(model, there)
  }
  return Block

  /** @param {object} block @returns the model; null for a block with extra data, such as a sign */
  function plain(block) {
    return Object.keys(block).join() === fields ? block : null
  }

  /** Copy upstream's fields in their order. @this {any} @param {any} model @param {object} biome */
  function copy(model, biome) {
    this.type = model.type
    this.metadata = model.metadata
    this.light = 0
    this.skyLight = 0
    this.biome = biome
    this.position = null
    this.stateId = model.stateId
    this.computedStates = {}
    this.name = model.name
    this.hardness = model.hardness
    this.displayName = model.displayName
    this.shapes = model.shapes
    this.boundingBox = model.boundingBox
    this.transparent = model.transparent
    this.diggable = model.diggable
    this.material = model.material
    this.harvestTools = model.harvestTools
    this.drops = model.drops
    this._properties = { ...model._properties }
    this.isWaterlogged = model.isWaterlogged
  }
}
