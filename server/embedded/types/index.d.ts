/**
 * Core types: the server, its players and other entities.
 *
 * Plugins add fields and methods, see additions.d.ts. Types of the libraries are in data.d.ts,
 * packets of clients in protocol.d.ts, world folders in saved.d.ts.
 */
import type { EventEmitter } from 'node:events'
import type { Vec3 } from 'vec3'
import type { BlockKind, Column, EntityKind, Item, Tag } from './data.d.ts'
import type { BodyAdditions, PlayerAdditions, ServerAdditions, Wound } from './additions.d.ts'
import type { Connection, Packet } from './protocol.d.ts'
import type { Counted } from '../scores/statistics.js'
import type { Manifest } from './saved.d.ts'

export type { Vec3 } from 'vec3'
export type * from './data.d.ts'
export type * from './protocol.d.ts'
export type * from './saved.d.ts'
export type * from './additions.d.ts'

// --- The server as flying-squid creates it, and plugins ---

/** Options of `createMCServer` and the plugins. */
export interface Options {
  motd: string
  host: string
  port: number
  version: string
  'max-players': number
  'online-mode': boolean
  'view-distance': number
  gameMode: number
  difficulty: number
  world: {
    seed: number
    terrain: string
    /** World folder. */
    folder?: string
    /** Minecraft world from which the server started. */
    anvil?: string | null
    /** Metadata of that world. */
    told?: import('../world/anvil/level.js').Told | null
    manifest: Manifest | null
  }
  strict: boolean
  allowFlight: boolean
  monsters: boolean
  replays?: string
  beforeLogin: (client: Connection) => void
  keepAlive: boolean
  errorHandler: (client: Connection, error: Error) => void
  logging: boolean
  hideErrors: boolean
  validateChannelProtocol: boolean
  plugins: Readonly<Record<string, never>>
}

/** The land of a world. */
export interface Land {
  /** Create a column, the same each time. */
  column(chunkX: number, chunkZ: number): Column
  /** Block entities in a column, in Minecraft's form. */
  blockEntities?(chunkX: number, chunkZ: number): Tag[]
  /** Mobs in a column of a Minecraft world. */
  mobs?(chunkX: number, chunkZ: number): Tag[]
  /** Spawn of players. */
  spawn(): Vec3
}

/** One capability: called for the server, for each player and for each entity. */
export interface Plugin {
  server?(serv: Server, options: Options): void
  player?(player: Player, serv: Server, options: Options): void
  entity?(entity: Entity, serv: Server, options: Options): void
}

export interface ServerEvents {
  asap: []
  /** A command was executed, and may have changed saved data. */
  commandRun: []
  listening: [port: number]
  pluginsReady: []
  error: [error: Error]
  clientError: [client: Connection, error: Error]
  tick: [seconds: number, count: number]
  tickEnd: []
  newPlayer: [player: Player]
  playerMoved: [player: Player, before: Vec3, onGround: boolean]
  playerHurt: [player: Player, damage: number, cause: string]
  playerDied: [player: Player, cause: string, by: Player | Animal | null]
  animalHurt: [animal: Animal, by: Player | null]
  animalKilled: [by: Player | null, animal: Animal]
  animalBorn: [young: Animal, one: Animal, other: Animal]
  /** After a fall of this many blocks. */
  playerLanded: [player: Player, blocks: number]
  blockChanged: [position: Vec3, before: number, after: number]
  blockPlaced: [player: Player, position: Vec3, state: number]
  /** A player began to dig the block. */
  blockStruck: [player: Player, position: Vec3]
  blockDug: [player: Player, position: Vec3, block: BlockKind]
  itemPickedUp: [player: Player, item: Item, count: number]
  itemUsed: [player: Player, item: Item]
  /** A statistic has increased. */
  counted: [player: Player, kind: Counted, name: string, count: number]
  /** Items that a player dropped, crafted, or wore out. */
  itemDropped: [player: Player, item: Item]
  itemCrafted: [player: Player, item: Item]
  itemBroken: [player: Player, item: Item]
  /** The item in use was released after this many ticks. */
  usingStopped: [player: Player, hand: number, ticks: number]
  columnMade: [chunkX: number, chunkZ: number]
  columnRestored: [chunkX: number, chunkZ: number]
}

export interface Server extends EventEmitter<ServerEvents>, ServerAdditions {
  _server: EventEmitter<{ connection: [Connection]; playerJoin: [Connection] }> & {
    maxPlayers: number
    playerCount: number
    motd: string
    mcversion: { version: number }
    close(): void
  }
  listeningPort: number
  createLog(): void
  players: Player[]
  uuidToPlayer: Record<string, Player>
  entities: Record<number, Entity>
}

/** Events of a player, for the plugins. */
export interface PlayerEvents {
  asap: []
  connected: []
  spawned: []
  disconnected: []
  chat: [said: { message: string }]
  answered: []
  teleported: []
}

// --- Texts ---

/** Text component as JSON. */
export interface Component {
  text?: string
  translate?: string
  with?: Component[]
  extra?: Component[]
  color?: string
  italic?: boolean
  underlined?: boolean
  insertion?: string
  clickEvent?: Readonly<Record<string, unknown>>
  hoverEvent?: Readonly<Record<string, unknown>>
}

// --- Entities: players, dropped items and animals ---

export type Entity = Player | Drop | Animal | Thing

/** Entities by `type`: the protocol's three kinds, and things (neither alive nor items). */
export interface EntityTypes {
  player: Player
  mob: Animal
  object: Drop
  thing: Thing
}

/** Common fields of all entities. */
export interface Body extends BodyAdditions {
  id: number
  name: string
  kind: EntityKind
  uuid: string
  position: Vec3
  /** Blocks per tick. */
  velocity: Vec3
  /** Degrees. */
  yaw: number
  pitch: number
  width: number
  height: number
  onGround: boolean
  /** Players who see it. */
  watchers: Set<Player>
  movedTick: number
  turnedTick: number
  /** Packets that follow its spawn packet when it comes into a player's sight. */
  appearance?(): Packet[]
  /** Additional data in the spawn packet, such as the state of a falling block. */
  objectData?: number
  /** Handle a right click; return true if it had an effect. */
  interact?(player: Player): boolean
}

export interface Player extends Body, EventEmitter<PlayerEvents>, PlayerAdditions {
  type: 'player'
  _client: Connection
  username: string
}

export interface Drop extends Body {
  type: 'object'
  item: Item
  ageTicks: number
  /** Age in ticks from which it can be picked up. */
  pickupTicks: number
}

/** Entity that is neither alive nor an item: boat, arrow, frame, orb. */
export interface Thing extends Body {
  type: 'thing'
  ageTicks: number
  /** Process one tick. */
  step?(): void
  /** Called after its removal. */
  removed?(): void
  /** Handle a blow; absent if the thing cannot be hit. */
  hurt?(damage: number, cause?: string, by?: Player): void
}

/** Living entity other than a player: animal, villager, monster. */
export interface Animal extends Body {
  type: 'mob'
  health: number
  random: () => number
  /** Direction in which it walks, in radians; null while it stands. */
  heading: number | null
  goalTick: number
  fleeTick: number
  /** Tick until which it looks for a partner, or afterwards rests. */
  loveUntil: number
  restUntil: number
  /** UUID of the player who last fed it. */
  fedBy?: string
  /** Tick at which it grows up; 0 for adults. */
  adultTick: number
  isShorn: boolean
  isSaddled: boolean
  /** Number of a sheep's colour. */
  colour: number
  /** Tick at which it lays the next egg. */
  eggTick: number
  /** True if it does not move on its own initiative. */
  isStill: boolean
  /** True if it is hunting a player. */
  isHunting: boolean
  /** Remaining burn time. */
  burnTicks: number
  /** Tick at which a player was last near. */
  nearTick: number
  /** Summoning data. */
  data?: Tag
  hurt(damage: number, cause?: string, by?: Player): Wound
}
