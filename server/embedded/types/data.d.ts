/** The part of the libraries' data for Minecraft 1.20.4 that this server reads. */
import type { Vec3 } from 'vec3'

/** Position in the world, in blocks, or within a column. */
export interface Position {
  x: number
  y: number
  z: number
}

// --- minecraft-data's tables ---

export interface BlockProperty {
  name: string
  type: 'bool' | 'enum' | 'int'
  num_values: number
  values?: string[]
}

export interface BlockKind {
  id: number
  name: string
  displayName: string
  hardness: number
  resistance?: number
  boundingBox: 'block' | 'empty'
  /** Emission and opacity of its default state: 0 to 15. */
  emitLight: number
  filterLight: number
  defaultState: number
  minStateId: number
  maxStateId: number
  states: BlockProperty[]
  /** Ids of the tools that make it drop something; absent if every tool does. */
  harvestTools?: Record<number, boolean>
}

export interface ItemKind {
  id: number
  name: string
  displayName: string
  stackSize: number
  maxDurability?: number
  enchantCategories?: string[]
  /** Names of the materials that repair it on anvils. */
  repairWith?: string[]
}

export interface FoodKind extends ItemKind {
  foodPoints: number
  saturation: number
}

export interface EntityKind {
  id: number
  metadataKeys: string[]
  name: string
  displayName: string
  width: number
  height: number
  /** Such as animal, hostile, projectile or other. */
  type: string
}

export interface EntityLoot {
  item: string
  dropChance: number
  stackSizeRange: [least: number, most?: number]
  /** True if only kills by players drop it. */
  playerKill?: boolean
}

export interface Enchantment {
  id: number
  name: string
  maxLevel: number
  minCost: { a: number; b: number }
  maxCost: { a: number; b: number }
  treasureOnly: boolean
  curse: boolean
  discoverable: boolean
  exclude: string[]
  category: string
  weight: number
}

export interface EffectKind {
  id: number
  name: string
  displayName: string
}

export interface LootDrop {
  item: string
  silkTouch?: boolean
  noSilkTouch?: boolean
  stackSizeRange?: [least: number, most?: number]
}

/** An ingredient: its id, or an object with its id and other fields. */
export type Ingredient = number | { id: number } | null

export interface Recipe {
  inShape?: Ingredient[][]
  ingredients?: Ingredient[]
  result: { id: number; count: number }
}

/** A fixed word in a command, or an argument. */
export interface CommandNode {
  type: 'root' | 'literal' | 'argument'
  name: string
  executable: boolean
  /** First words of commands. */
  redirects: string[]
  children: CommandNode[]
  parser?: {
    parser: string
    modifier: {
      type?: string
      amount?: string
      min?: number
      max?: number
      registry?: string
    } | null
  }
}

/** Names by hexadecimal number. */
export interface Mapper {
  mappings: Record<string, string>
}

export interface Registry {
  biomes: Record<number, { name: string }>
  biomesByName: Record<string, { id: number }>
  blockLoot: Record<string, { drops: LootDrop[] }>
  blocksArray: BlockKind[]
  blocksByName: Record<string, BlockKind>
  blocksByStateId: Record<number, BlockKind>
  commands: { root: CommandNode }
  effects: Record<number, EffectKind>
  effectsArray: EffectKind[]
  enchantmentsArray: Enchantment[]
  enchantmentsByName: Record<string, Enchantment>
  entitiesByName: Record<string, EntityKind>
  entityLoot: Record<string, { drops: EntityLoot[] }>
  foodsByName: Record<string, FoodKind>
  items: Record<number, ItemKind>
  itemsByName: Record<string, ItemKind>
  /** Protocol number. */
  version: { version: number }
  /** Packets of the protocol, for ProtoDef. */
  protocol: { play: { toClient: { types: { packet: [string, { type: [string, Mapper] }[]] } } } }
  /** Vanilla's English texts, by key. */
  language: Record<string, string>
  loginPacket: {
    worldNames: string[]
    worldType: string
    worldName: string
    /** Registries for clients, as NBT. */
    dimensionCodec: Tag
  }
  particlesByName: Record<string, { id: number }>
  recipes: Record<number, Recipe[]>
  soundsByName: Record<string, { id: number }>
}

// --- Classes of prismarine-item, -block, -chunk, -world and -entity ---

/** NBT tag in prismarine-nbt's form. */
export interface Tag {
  type: string
  name?: string
  value: unknown
}

export interface ItemTag extends Tag {
  type: 'compound'
  value: { Damage?: { type: 'int'; value: number }; display?: unknown; [name: string]: unknown }
}

/** A stack of items. */
export interface Item {
  type: number
  name: string
  displayName: string
  count: number
  metadata: number
  stackSize: number
  nbt: ItemTag | null
  enchants: { name: string; lvl: number }[]
  customName: string | null
  /** Prior work penalty on anvils, in levels. */
  repairCost: number
}

export interface ItemClass {
  new (type: number, count: number, metadata?: number, nbt?: ItemTag | null): Item
  equal(a: Item, b: Item, matchStackSize: boolean, matchNbt: boolean): boolean
  toNotch(item: Item | null): PacketItem
  fromNotch(item: PacketItem): Item | null
}

export interface BlockClass {
  fromProperties(
    name: string,
    properties: Record<string, string>,
    biome: number
  ): { stateId: number }
  fromStateId(
    state: number,
    biome: number
  ): {
    /** Boxes that bodies cannot enter, each from x, y, z to x, y, z within the cell. */
    shapes: number[][]
    digTime(
      tool: number | null,
      isCreative: boolean,
      isInWater: boolean,
      isInAir: boolean,
      enchantments: Item['enchants'],
      effects: Record<number, { amplifier: number }>
    ): number
  }
}

/** 16 × 16 × 16 blocks. */
export interface Section {
  solidBlockCount: number
  data: { palette?: number[]; value?: number; get(index: number): number }
  /** `position` is within the section. */
  set(position: Position, state: number): void
}

/** 16 × 16 blocks of ground, from the bottom of the world to its top. */
export interface Column {
  minY: number
  worldHeight: number
  maxBitsPerBlock: number
  sections: Section[]
  getBlockStateId(position: Position): number
  setBlockStateId(position: Position, state: number): void
  getBiome(position: Position): number
  /** One per section, from the bottom up. */
  biomes: BiomeSection[]
  loadSection(
    y: number,
    blocks: { palette: object[]; data: [number, number][]; bitsPerBlock: number },
    biomes: { palette: string[]; data: [number, number][]; bitsPerBiome: number }
  ): void
  dump(): Buffer
  load(bytes: Buffer): void
}

export interface BiomeSection {
  constructor: new (options: { singleValue: number }) => BiomeSection
}

export interface ColumnClass {
  new (contents?: {
    sections: Section[]
    biomes: BiomeSection[]
    minY?: number
    worldHeight?: number
  }): Column
  section: new (options: { singleValue: number; maxBitsPerBlock: number }) => Section
}

export interface World {
  getLoadedColumn(chunkX: number, chunkZ: number): Column | undefined
  setLoadedColumn(chunkX: number, chunkZ: number, column: Column, isSaved: boolean): void
  unloadColumn(chunkX: number, chunkZ: number): void
}

export interface WorldClass {
  new (generate: (chunkX: number, chunkZ: number) => Column, storage: null): World
}

export interface EntityClass {
  new (id: number): {
    id: number
    position: Vec3
    velocity: Vec3
    yaw: number
    pitch: number
    onGround: boolean
  }
}

/** A stack as in packets. */
export interface PacketItem {
  present: boolean
  itemId?: number
  itemCount?: number
  nbtData?: ItemTag
}
