/** Types of the bot and its libraries, and messages from its thread. */
import type { Bot as MineflayerBot, BotEvents } from 'mineflayer'
import type { Pathfinder } from 'mineflayer-pathfinder'
import type { Block } from 'prismarine-block'
import type { Entity } from 'prismarine-entity'
import type { BotEvent } from './protocol.d.ts'

export type { Bot as MineflayerBot, Chest, Dispenser, Furnace } from 'mineflayer'
export type { Block } from 'prismarine-block'
export type { Entity } from 'prismarine-entity'
export type { Item } from 'prismarine-item'
export type { Recipe, RecipeItem } from 'prismarine-recipe'
export type { Window } from 'prismarine-windows'
export type { Vec3 } from 'vec3'

/** A position in the world, in blocks. */
export interface Position {
  x: number
  y: number
  z: number
}

/** Mineflayer's bot with its pathfinder, after own-digs.js has wrapped its digging. */
export type Bot = {
  /** Resolves to true if the bot itself dug the block. */
  dig(block: Block, forceLook?: boolean | 'ignore'): Promise<boolean>
  on(
    event: 'blockBreakProgressObserved',
    listener: (block: Block | null, stage: number, digger: Entity) => void
  ): void
  on(event: 'blockPlaced', listener: (before: Block, after: Block) => void): void
  pathfinder: Pathfinder & { movements: import('mineflayer-pathfinder').Movements }
} & MineflayerBot

/** Name of an event from Mineflayer or the pathfinder. */
export type BotEventName = keyof BotEvents | 'goal_reached'

export type Goal = import('mineflayer-pathfinder').goals.Goal

/** Libraries that agents' code can use. */
export interface Libraries {
  goals: typeof import('mineflayer-pathfinder').goals
  minecraftData: typeof import('minecraft-data')
  Vec3: typeof import('vec3').Vec3
}

type WithoutPlace<Event> = Event extends BotEvent ? Omit<Event, 'time_ms' | 'agent'> : never

/** A bot's event, before the main thread adds its time and agent. */
export type OwnEvent = WithoutPlace<BotEvent>

export type Emit = (event: OwnEvent) => void

/** Asks the world's referee for the effect of using a block. */
export type UseBlock = (block: string, position: Position) => Promise<string>

/** Message from a body to the main thread. */
export type WorkerMessage =
  | { op: 'answer'; ask: number; error: string | null; value: unknown }
  | { op: 'event'; event: OwnEvent }
  | { op: 'send'; ask: number; to: string | null; name: string }
  | { op: 'wait'; wait: number; from: string | null; name: string }
  | { op: 'lost'; reason: string }

export type Post = (message: WorkerMessage) => void

declare global {
  /** Features of Node that its types lack. */
  namespace WebAssembly {
    class Module {
      constructor(bytes: Uint8Array)
    }
  }
}
