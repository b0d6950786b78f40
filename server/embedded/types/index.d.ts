/**
 * What this server is made of: the server, its players and its other entities.
 *
 * Each plugin adds fields and methods of its own: see additions.d.ts. What the libraries bring is in
 * data.d.ts, what clients send in protocol.d.ts, what a world folder keeps in saved.d.ts.
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

// --- The server as flying-squid makes it, and what plugins are ---

/** What `createMCServer` and the plugins are told. */
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
    /** Where it is kept. */
    folder?: string
    /** The world of Minecraft that it began as. */
    anvil?: string | null
    /** What that says of itself. */
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
  /** A new column, the same each time. */
  column(chunkX: number, chunkZ: number): Column
  /** What is told of single blocks of a column, in Minecraft's form. */
  blockEntities?(chunkX: number, chunkZ: number): Tag[]
  /** What others said lives in a column. */
  mobs?(chunkX: number, chunkZ: number): Tag[]
  /** Where players appear. */
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
  /** A command was carried out, and may have changed what is kept. */
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
  /** After a fall of so many blocks. */
  playerLanded: [player: Player, blocks: number]
  blockChanged: [position: Vec3, before: number, after: number]
  blockPlaced: [player: Player, position: Vec3, state: number]
  /** Somebody began to dig it. */
  blockStruck: [player: Player, position: Vec3]
  blockDug: [player: Player, position: Vec3, block: BlockKind]
  itemPickedUp: [player: Player, item: Item, count: number]
  itemUsed: [player: Player, item: Item]
  /** A statistic has risen. */
  counted: [player: Player, kind: Counted, name: string, count: number]
  /** Items that a player threw away, made, or wore out. */
  itemDropped: [player: Player, item: Item]
  itemCrafted: [player: Player, item: Item]
  itemBroken: [player: Player, item: Item]
  /** What was held in use was let go, after so many ticks. */
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

/** A text component, as JSON has it. */
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

/** By `type`: the protocol's three sorts, and all that neither lives nor is an item. */
export interface EntityTypes {
  player: Player
  mob: Animal
  object: Drop
  thing: Thing
}

/** What all entities have. */
export interface Body extends BodyAdditions {
  id: number
  name: string
  kind: EntityKind
  uuid: string
  position: Vec3
  /** Blocks a tick. */
  velocity: Vec3
  /** Degrees. */
  yaw: number
  pitch: number
  width: number
  height: number
  onGround: boolean
  /** The players who see it. */
  watchers: Set<Player>
  movedTick: number
  turnedTick: number
  /** What is sent besides its spawn when it comes into a player's sight. */
  appearance?(): Packet[]
  /** What a spawn packet says of it besides, such as the state of a falling block. */
  objectData?: number
  /** What a click with the right button does; returns whether that was a use. */
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
  /** From this age on it can be picked up. */
  pickupTicks: number
}

/** What neither lives nor is an item: boats, arrows, frames, orbs. */
export interface Thing extends Body {
  type: 'thing'
  ageTicks: number
  /** One tick of it. */
  step?(): void
  /** What is to be done once it is gone. */
  removed?(): void
  /** A blow; left out where it cannot be hit. */
  hurt?(damage: number, cause?: string, by?: Player): void
}

/** All that lives besides players: animals, villagers, monsters. */
export interface Animal extends Body {
  type: 'mob'
  health: number
  random: () => number
  /** Where it walks to, in radians; null while it stands. */
  heading: number | null
  goalTick: number
  fleeTick: number
  /** Until when it looks for a partner, and rests after. */
  loveUntil: number
  restUntil: number
  /** The uuid of who fed it last. */
  fedBy?: string
  /** When it is grown up; 0 for adults. */
  adultTick: number
  isShorn: boolean
  isSaddled: boolean
  /** Of a sheep's wool, by its number. */
  colour: number
  /** When it lays the next egg. */
  eggTick: number
  /** Whether it does not move by itself. */
  isStill: boolean
  /** Whether it goes for a player. */
  isHunting: boolean
  /** How long it still burns. */
  burnTicks: number
  /** When a player was near it last. */
  nearTick: number
  /** What it was summoned with. */
  data?: Tag
  hurt(damage: number, cause?: string, by?: Player): Wound
}
