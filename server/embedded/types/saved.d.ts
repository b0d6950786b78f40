/** Content of world folders, and saved data about players who have left. */
import type { PacketItem, Tag } from './data.d.ts'
import type { Component } from './index.d.ts'
import type { Format, Objective } from '../scores/scores.js'
import type { Bossbar } from '../scores/bossbars.js'
import type { Team } from '../scores/teams.js'
import type { ActiveEffect, Weather } from './additions.d.ts'
import type { SignText } from '../blocks/signs.js'
import type { GameRules } from '../world/gamerules.js'

export type ContainerData = [
  position: string,
  name: string,
  items: (PacketItem | null)[],
  /** Progress; absent if nothing is in progress. */
  progress?: Record<string, any>
]

export interface PlayerData {
  name: string
  health: number
  food: number
  foodSaturation: number
  gameMode: number
  heldItemSlot: number
  yaw: number
  pitch: number
  op: boolean
  /** Experience; absent in worlds saved by servers that did not store it. */
  level?: number
  points?: number
  totalPoints?: number
  isBedSpawn?: boolean
  spawnAngle?: number
  portalCooldown?: number
  absorption?: number
  tags?: string[]
  effects?: [id: number, effect: ActiveEffect][]
  isDead: boolean
  position: [number, number, number]
  spawnPoint: [number, number, number] | null
  inventory: (PacketItem | null)[]
  enderChest: (PacketItem | null)[]
  loose: PacketItem[]
}

/** world.json: the valid files of a world folder. */
export interface Manifest {
  format: number
  seed: number
  terrain: string
  /** Whether natural land has caves; absent in worlds created before caves existed. */
  caves?: boolean
  generation: number
  state: string
  /** Column → file. */
  columns: Record<string, string>
}

/** Scoreboards, teams, boss bars and storage. */
export interface Board {
  objectives: (Omit<Objective, 'scores' | 'enabled' | 'looks'> & {
    name: string
    scores: [holder: string, score: number][]
    enabled: string[]
    looks: [holder: string, look: { name: Component | null; format: Format | null }][]
  })[]
  displays: [slot: string, objective: string][]
  teams: (Omit<Team, 'members'> & { members: string[] })[]
  bossbars: (Omit<Bossbar, 'players'> & { players: string[] })[]
  storage: [name: string, data: Tag][]
}

/** State in a world folder, apart from its columns. */
export interface WorldState {
  time: number
  day: number
  ticks: number
  difficulty: number
  gamerules: Partial<GameRules>
  /** Absent in older worlds; `left` is null for a permanent effect. */
  weather?: { kind: Weather['kind']; left: number | null }
  /** Columns that `forceload` keeps loaded; absent in older worlds. */
  forced?: string[]
  worldSpawn: [number, number, number]
  spawnAngle?: number
  players: [uuid: string, data: PlayerData][]
  containers: ContainerData[]
  drops: {
    item: PacketItem
    position: [number, number, number]
    ageTicks: number
    /** Absent in older worlds. */
    pickupTicks?: number
  }[]
  animals: {
    name: string
    position: [number, number, number]
    health: number
    adultTick?: number
    isShorn?: boolean
    /** Absent in worlds saved before wool had colours. */
    colour?: number
    yaw?: number
    tags?: string[]
    /** Tick until which it cannot breed again. */
    restUntil?: number
    /** Summoning data: name, tags and trades. */
    data?: Tag
  }[]
  herds: string[]
  /** Absent in older worlds. */
  board?: Board
  /** Absent in older worlds. */
  statistics?: [player: string, counts: [key: string, count: number][]][]
  /** Columns whose chests and signs were loaded from a Minecraft world; absent in older worlds. */
  opened?: string[]
  /** Columns whose animals were loaded from a Minecraft world; absent in older worlds. */
  peopled?: string[]
  /** Absent in worlds saved before signs stored text. */
  signs?: [position: string, text: SignText][]
  /** Absent in worlds saved before block data was stored. */
  blockData?: [position: string, data: Tag][]
  commandBlocks?: {
    position: [number, number, number]
    command: string
    isAlways: boolean
    tracks: boolean
  }[]
}
