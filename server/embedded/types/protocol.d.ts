/** Connections, and the messages between clients and the server. */
import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { PacketItem, Position } from './data.d.ts'

/** Fields of a packet, as the protocol names them; `--strict` checks them against its definition. */
export type Fields = Readonly<Record<string, unknown>>

/** A client's connection, from minecraft-protocol. */
export interface Connection extends EventEmitter<ConnectionEvents> {
  username: string
  uuid: string
  ended: boolean
  /** State of the protocol: handshaking, status, login, configuration, play. */
  state: string
  socket: Socket
  /** Splits input into packets. */
  splitter: Splitter
  serializer: PacketWriter
  deserializer: {
    /** Read a whole packet; throw if it is incomplete. Also return its size in bytes. */
    parsePacketBuffer(bytes: Buffer): {
      data: { name: string | number; params: Fields }
      metadata: { size: number }
    }
  }
  write(name: string, fields: Fields): void
  end(reason: string, fullReason?: unknown): void
  /** Set once the connection is in the play state. */
  _end?(reason: string): void
}

export interface Splitter {
  buffer: Buffer
  recognizeLegacyPing: boolean
  push(frame: Buffer): void
  _transform(this: Splitter, chunk: Buffer, encoding: string, done: () => void): void
}

export interface PacketWriter {
  createPacketBuffer(packet: { name: string; params: Fields }): Buffer
}

/** Packets from clients that the server reads. */
export interface Incoming {
  arm_animation: Fields
  block_dig: { location: Position; status: number; sequence?: number }
  block_place: BlockPlace
  chat_command: { command: string }
  chat_message: { message: string }
  client_command: { actionId: string }
  close_window: Fields
  enchant_item: { windowId: number; enchantment: number }
  edit_book: { hand: number; pages: string[]; title?: string }
  entity_action: { actionId: string }
  flying: { onGround: boolean }
  held_item_slot: { slotId?: number } | undefined
  keep_alive: Fields
  login_start: { username: string }
  look: Rotation & { onGround: boolean }
  name_item: { name: string }
  custom_payload: { channel: string }
  pong: Fields
  position: Place
  position_look: Place & Rotation
  select_trade: { slot: number }
  set_creative_slot: { slot: number; item: PacketItem }
  ping: { time: bigint }
  ping_start: Fields
  set_protocol: { protocolVersion: number; nextState: number }
  settings: { viewDistance: number }
  steer_vehicle: { sideways: number; forward: number; jump: number }
  tab_complete: { transactionId: number; text: string }
  teleport_confirm: { teleportId: number }
  update_command_block: { location: Position; command: string; mode: number; flags: number }
  update_sign: SignUpdate
  use_entity: { mouse: number; target: number; hand?: number }
  use_item: { hand: number; sequence?: number }
  vehicle_move: Position & Rotation
  window_click: WindowClick
}

export type ConnectionEvents = {
  [Name in keyof Incoming]: [fields: Incoming[Name]]
} & { end: []; error: [error: Error]; state: [now: string] }

export type Place = Position & { onGround: boolean }

/** Angles in degrees. */
export interface Rotation {
  yaw: number
  pitch: number
}

export interface BlockPlace {
  location: Position
  direction: number
  hand: number
  cursorY: number
  sequence?: number
}

export interface SignUpdate {
  location: Position
  isFrontText: boolean
  text1: string
  text2: string
  text3: string
  text4: string
}

export interface WindowClick {
  windowId: number
  stateId: number
  slot: number
  mouseButton: number
  mode: number
  changedSlots: { location: number; item: PacketItem }[]
  cursorItem: PacketItem
}

/** A packet that has not been sent yet. */
export type Packet = [name: string, fields: Fields]
