/** What a world folder keeps, and what is kept of players who left. */
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
  /** What goes on in it; left out where nothing does. */
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
  /** Experience; left out by servers before it was kept. */
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

/** world.json: which files of a world folder count. */
export interface Manifest {
  format: number
  seed: number
  terrain: string
  /** Whether natural land has caves; left out by servers before there were any. */
  caves?: boolean
  generation: number
  state: string
  /** Column → file. */
  columns: Record<string, string>
}

/** Scoreboards, teams, bossbars and storage. */
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

/** The state that a world folder keeps besides its columns. */
export interface WorldState {
  time: number
  day: number
  ticks: number
  difficulty: number
  gamerules: Partial<GameRules>
  /** Left out by servers before it was kept; `left` is null for one that stays. */
  weather?: { kind: Weather['kind']; left: number | null }
  /** Columns that `forceload` was asked for; left out by servers before they were kept. */
  forced?: string[]
  worldSpawn: [number, number, number]
  spawnAngle?: number
  players: [uuid: string, data: PlayerData][]
  containers: ContainerData[]
  drops: {
    item: PacketItem
    position: [number, number, number]
    ageTicks: number
    /** Left out by servers before it was kept. */
    pickupTicks?: number
  }[]
  animals: {
    name: string
    position: [number, number, number]
    health: number
    adultTick?: number
    isShorn?: boolean
    /** Left out by servers before wool had colours. */
    colour?: number
    yaw?: number
    tags?: string[]
    /** Until when it has no more young. */
    restUntil?: number
    /** What it was summoned with: its name, tags and trades. */
    data?: Tag
  }[]
  herds: string[]
  /** Left out by servers before it was kept. */
  board?: Board
  /** Left out by servers before it was kept. */
  statistics?: [player: string, counts: [key: string, count: number][]][]
  /** Columns of a world of Minecraft whose chests and signs are among these; left out by earlier servers. */
  opened?: string[]
  /** Columns of a world of Minecraft whose animals are among these; left out by earlier servers. */
  peopled?: string[]
  /** Left out by servers before signs kept text. */
  signs?: [position: string, text: SignText][]
  /** Left out by servers before blocks kept data. */
  blockData?: [position: string, data: Tag][]
  commandBlocks?: {
    position: [number, number, number]
    command: string
    isAlways: boolean
    tracks: boolean
  }[]
}
