/**
 * Additions of each plugin to the server, to players and to all entities, one section per plugin.
 * The file is long, but it contains only declarations, which are easy to find here by plugin name.
 */
import type { Vec3 } from 'vec3'
import type { Column, Item, Position, Tag, World } from './data.d.ts'
import type { BlockPlace, Fields, Packet } from './protocol.d.ts'
import type { ContainerData, PlayerData } from './saved.d.ts'
import type { Source } from '../commands/index.js'
import type { Animal, Component, Drop, Entity, EntityTypes, Player, Thing } from './index.d.ts'
import type { Hand } from '../windows/clicks.js'
import type { Store } from '../windows/store.js'
import type { Client, Window } from '../windows/window.js'
import type { Bossbar } from '../scores/bossbars.js'
import type { BrewingStand } from '../workshops/brewing-stands.js'
import type { Furnace } from '../workshops/furnaces.js'
import type { GameRules } from '../world/gamerules.js'
import type { Replay } from '../network/replays.js'
import type { Format, Objective } from '../scores/scores.js'
import type { SignText } from '../blocks/signs.js'
import type { Team } from '../scores/teams.js'

// entities.js
export interface ServerAdditions {
  newEntity<Type extends keyof EntityTypes>(type: Type, name: string, at: Vec3): EntityTypes[Type]
  enterEntity(entity: Entity): void
  removeEntity(entity: Entity): void
  moveEntity(entity: Entity, position: Vec3, onGround?: boolean): void
}

// things.js
export interface ServerAdditions {
  things: Map<number, Thing>
  /** Add a thing to the world; `traits` is set before any player sees it. */
  addThing(name: string, position: Vec3, traits: (thing: Thing) => Partial<Thing>): Thing
  removeThing(thing: Thing): void
  /** Handlers by entity name, used by `summon` and items. */
  onSummon(names: string[], make: Summon): void
  /** Null for an entity that cannot be summoned. */
  summon(name: string, position: Vec3, data?: Tag): Entity | null
}
export type Summon = (position: Vec3, data: Tag | undefined, name: string) => Entity

// replays.js
export interface ServerAdditions {
  /** Folder for replays, or null. */
  replays: string | null
  /** Complete the replay of a client that has left. */
  endReplay(replay: Replay): void
  /** Resolves once all ended replays are complete. */
  replaysEnded(): Promise<void>
}
export interface PlayerAdditions {
  replay: Replay | null
}

// orbs.js
export interface ServerAdditions {
  /** Drop orbs with this total experience. */
  spillExperience(amount: number, position: Vec3): void
}
export interface PlayerAdditions {
  /** Tick at which the player took the last orb. */
  orbTick: number
}

// falling-blocks.js
export interface ServerAdditions {
  dropBlock(position: Vec3, state: number): Thing
}

// explosions.js
export interface ServerAdditions {
  explode(position: Vec3, power: number, by?: Entity): void
  /** Ignite TNT whose block is already removed. */
  ignite(position: Vec3, fuse?: number): Thing
}

// fire.js
export interface ServerAdditions {
  /** Light a fire; return true if a fire can burn there. */
  lightFire(position: Vec3): boolean
}

// projectiles.js
export interface Hit {
  thing: Thing
  place: Vec3
  entity: Entity | null
  block: Vec3 | null
}
export interface Flight {
  name: string
  owner: Entity | null
  position: Vec3
  velocity: Vec3
  gravity: number
  /** Item that clients show for it. */
  item?: Item
  /** Called after its removal. */
  onHit?(hit: Hit): void
  /** True for projectiles that are not removed when they hit. */
  arrow?: { isStuck: boolean; hit(hit: Hit): void; rest(thing: Thing): void }
}
export interface ServerAdditions {
  shoot(flight: Flight): Thing
}
export interface PlayerAdditions {
  /** Item → tick until which the player cannot use it again. */
  cooldowns: Map<number, number>
  coolDown(item: { type: number }, ticks: number): void
}

// labels.js
export interface BodyAdditions {
  tags: Set<string>
  customName: Component | null
}
export interface ServerAdditions {
  /** Apply summoning data that all kinds of entities have: name, tags, whether it moves. */
  label(entity: Entity, data: Tag | undefined): void
}

// riding.js
export interface BodyAdditions {
  vehicle: Entity | null
  passengers: Entity[]
}
export interface ServerAdditions {
  mount(rider: Entity, vehicle: Entity): void
  dismount(rider: Entity): void
  /** Dismount all riders. */
  dismountAll(vehicle: Entity): void
}

// sight.js
export interface ServerAdditions {
  lookAround(player: Player): void
}
export interface PlayerAdditions {
  /** Entities that the client knows → tick of the last update. */
  seen: Map<Entity, number>
}

// pacing.js: bytes of an entity's last move, serialised once per tick for all watchers
export interface BodyAdditions {
  bytesTick?: number
  moveBytes?: Buffer | null
  turnBytes?: Buffer | null
}

// --- Connections and columns ---

// log.js
export interface ServerAdditions {
  info(message: unknown): void
  warn(message: unknown): void
  err(message: unknown): void
}

// network.js
export interface ServerAdditions {
  isStrict: boolean
  traffic: { packets: number; bytes: number }
  send(players: Player[], name: string, fields: Fields): void
  encode(players: Player[], name: string, fields: Fields): Buffer | null
  sendBytes(player: Player, bytes: Buffer | null): void
  getNearby(place: { position: Vec3; radius?: number }): Player[]
}
export interface BodyAdditions {
  getOtherPlayers(): Player[]
  _writeOthersNearby(name: string, fields: Fields): void
  _writeNearby(name: string, fields: Fields): void
}

// random.js
export interface ServerAdditions {
  random: () => number
  randomSequence(name: string): () => number
  resetRandomSequence(name: string, from?: number): void
  resetRandomSequences(from?: number): number
}

// gamerules.js
export interface ServerAdditions {
  gamerules: GameRules
  setGamerule(name: string, value: boolean | number): void
}

// ticks.js
export interface ServerAdditions {
  tickCount: number
  /** Lateness and length of the last ticks, in milliseconds. */
  tickDelays: number[]
  tickTimes: number[]
  /** When the last ticks started, by the wall clock's `performance.now()`. */
  tickWalls: number[]
  /** When the next tick is due, as the game's Unix time in milliseconds. */
  nextTick: number
  skippedTicks: number
  lastTicks(ring: number[], count: number): number[]
  stopTicks(): void
}

// delays.js: as fractions of the last ticks' time, from 0 to 1
export interface ServerAdditions {
  /** Fraction during which the most responsive client did not answer. */
  clientDelay(ticks: number): number
  /** Fraction by which the latest tick of each second started late. */
  tickDelay(ticks: number): number
  /** Longest single delays in milliseconds of game time. */
  longestDelays(ticks: number): { server: number; clients: number }
}
export interface PlayerAdditions {
  askForSign(): void
  /** Unanswered ping: when it was sent, and how often lockstep.js has checked since. */
  asked: { tick: number; at: number; looks: number } | null
  /** Answer time in milliseconds of game time, measured from a tick. */
  delaySince(tick: number): number
  /** Longest answer time in milliseconds of game time, since a tick. */
  longestDelay(tick: number): number
}

// lockstep.js
export interface ServerAdditions {
  /** Let the clock advance as long as all followers keep up. */
  grantTime(): void
  /** True if a command has frozen the clock. */
  isFrozen: boolean
  /** Freeze or resume the clock; no effect without a shared clock. */
  freeze(isFrozen: boolean): void
  /** Number of ticks until a stepping clock freezes again; 0 if it is not stepping. */
  stepsLeft: number
  step(ticks: number): void
  /** Ticks between two pings of followers. */
  signTicks(): number
}
export interface PlayerAdditions {
  /** True if the clock is waiting for this client. */
  follows: boolean
  /** The game's Unix time in milliseconds that the clock may not pass for now. */
  mayPass(): number
}

// hearing.js
export interface ServerAdditions {
  /** Return true if a client has certainly received a block's current state. */
  hasHeard(player: Player, position: Position): boolean
}
export interface PlayerAdditions {
  /** Tick of the last answered ping. */
  heardTick: number
}

// movement.js
export interface ServerAdditions {
  /** True if players may fly. */
  allowFlight: boolean
}

// digging.js
export interface PlayerAdditions {
  /** True if a block that the client has already dug is about to break. */
  isBreaking(position: Vec3): boolean
}

// time.js
export interface ServerAdditions {
  /** Ticks since the first day began. */
  time: number
  setTime(time: number): void
  sendTime(players: Player[]): void
}

// world.js
export interface ServerAdditions {
  overworld: World
  land: Land
  /** Columns whose chests and signs were loaded from a Minecraft world. */
  opened: Set<string>
  /** Columns whose animals were loaded from a Minecraft world. */
  peopled: Set<string>
  seed: number
  terrain: string
  worldSpawn: Vec3
  /** Direction of players who spawn there, in degrees. */
  spawnAngle: number
  /** Columns that `forceload` keeps loaded, such as `3,-1`. */
  forced: Set<string>
  columnAt(chunkX: number, chunkZ: number): Column
  loadBox(low: Position, high: Position): void
  setBlock(position: Position, state: number): boolean
}

// block-changes.js
export interface ServerAdditions {
  sendBlock(player: Player, position: Position): void
  /** Send an unchanged block to all players who have its column. */
  resendBlock(position: Position): void
  blockAction(position: Position, action: number, value: number): void
}

// light.js: columns that are not loaded are dark
export interface ServerAdditions {
  /** Light from the sky by day, and from blocks: 0 to 15. */
  skyLightAt(position: Position): number
  blockLightAt(position: Position): number
  /** The brighter of the two, with the sky darkened by this much (default: as it is now). */
  brightnessAt(position: Position, darkness?: number): number
  /** Difference between the sky's light by day and now: 0 to 11. */
  skyDarkness(): number
  /** Height of the lowest cell that sees the sky; the world's bottom if nothing is loaded. */
  openHeightAt(position: Position): number
  /** True if nothing above the cell reduces its light. */
  seesSky(position: Position): boolean
  /** A column's light, as in packets. */
  lightOf(chunkX: number, chunkZ: number): Fields
}

// chunks.js
export interface ServerAdditions {
  resendColumn(id: string, players: Player[]): void
  /** Call this after a column's data, other than its blocks, has changed. */
  forgetColumn(position: Position): void
  sendFirstColumns(player: Player): void
  sendColumnsAround(player: Player): void
}
export interface PlayerAdditions {
  /** Ids of the client's columns. */
  chunks: Set<string>
  chunkQueue: [chunkX: number, chunkZ: number][]
  chunkCentre: string
  /** In columns; undefined until the client has sent it. */
  view?: number
  forgetChunks(): void
}

// --- Moving, speaking, seeing ---

// teleports.js
export interface PlayerAdditions {
  /** True if the client has not confirmed its last teleport yet. */
  isAstray(): boolean
  /**
   * True if a client's position answers an earlier teleport than the last one: after a respawn,
   * Mineflayer answers one and a half seconds late.
   */
  isLateAnswer(place: Position): boolean
  sendPlace(): void
  teleport(position: Vec3, rotation?: [yaw: number, pitch: number]): void
}

// poses.js
export interface PlayerAdditions {
  crouching: boolean
  sprinting: boolean
  poses(): Packet[]
}

// chat.js
export interface ServerAdditions {
  broadcast(text: Component | string, options?: { to?: Player[]; isActionBar?: boolean }): void
}
export interface PlayerAdditions {
  system(text: Component | string): void
  kick(reason: Component): void
  /** True after a kick: further packets are ignored. */
  isExpelled: boolean
  /** Kick a player who breaks the rules, and log the reason. */
  expel(reason: Component, why: string): void
}

// commands.js
export interface ServerAdditions {
  notifyOperators(text: Component, source: Source): void
}
export interface PlayerAdditions {
  handleCommand(line: string): void
  setOperator(wanted: boolean): void
  /** Send the client its rights and commands. */
  sendRights(): void
}

// teams.js
export interface ServerAdditions {
  teams: Map<string, Team>
  /** By player name, or the UUID of other entities. */
  teamOf(holder: string): Team | undefined
  addTeam(name: string, displayName: Component): Team
  removeTeam(team: Team): void
  changeTeam(team: Team, changes: Partial<Team>): void
  joinTeam(team: Team, holders: string[]): void
  leaveTeam(team: Team, holders: string[]): void
  sendTeams(players: Player[], teams: Team[]): void
}

// bossbars.js
export interface ServerAdditions {
  bossbars: Map<string, Bossbar>
  addBossbar(id: string, name: Component): Bossbar
  removeBossbar(bar: Bossbar): void
  changeBossbar(bar: Bossbar, changes: Partial<Bossbar>): void
  showBossbar(bar: Bossbar, players: Player[]): void
}

// sounds.js
export interface ServerAdditions {
  playSound(
    name: string,
    position: Vec3,
    options?: {
      radius?: number
      volume?: number
      pitch?: number
      /** Such as block, neutral or player. */
      category?: string
    }
  ): void
  /** Sound of a chest that is opened or closed. */
  soundLid(name: string, position: Vec3, isOpened: boolean): void
}

// --- Items, windows, containers ---

// inventory.js
export interface PlayerAdditions {
  inventory: Store
  enderChest: Store
  /** The 2 × 2 crafting grid of the player's own window. */
  grid: Store
  hand: Hand
  giveItem(item: Item): Item | null
  looseItems(): Item[]
  emptyPockets(): Item[]
}

// held.js
export interface PlayerAdditions {
  heldItem: Item | null
  heldItemSlot: number
  useUpHeld(count?: number): void
  /** Item in a hand: 0 is the main hand, 1 the other. */
  inHand(hand: number): Item | null
  putInHand(hand: number, item: Item | null): void
  /** Use up one item, except in creative mode. */
  useUp(hand: number): void
  /** Like `wearTool`, for either hand. */
  wearHand(hand: number, uses: number): void
  wearSlot(slot: number, uses: number): void
  /** Replace one item by another, such as an empty bucket by a full one. */
  exchangeHeld(name: string): void
  wearTool(uses: number): void
  throwHeld(isAll: boolean): void
  swapHands(): void
}

// equipment.js
export interface PlayerAdditions {
  showEquipment(index: number): void
}

// open-windows.js
export interface ServerAdditions {
  sendWindows(): void
}
export interface PlayerAdditions {
  connection: Client
  window: Window
  openWindow(window: Window): void
  closeWindow(): void
  shutWindow(): void
}

// containers.js
export interface Container {
  name: string
  store: Store
  viewers: Set<Player>
  /** Open page of a lectern's book; the first is 0. */
  page?: number
}
export interface ServerAdditions {
  containers: Map<string, Container | Furnace>
  containerAt(position: Vec3): Container | Furnace | null
  emptyContainer(position: Position): Item[]
  containersData(): ContainerData[]
  restoreContainers(data: ContainerData[]): void
}

// block-entities.js
export interface ServerAdditions {
  blockEntitiesIn(chunkX: number, chunkZ: number): Fields[]
  /** Send a block's data to all players who have its column, or only to the given players. */
  sendBlockEntity(position: Vec3, players?: Player[]): void
}

// block-data.js
export interface ServerAdditions {
  /** Data that the server ignores, kept for clients. */
  blockData: Map<string, Tag>
  setBlockData(position: Vec3, data: Tag): void
  /** A block's data for the `data` command, or null. */
  blockTag(position: Vec3): Tag | null
  /** Replace a block's data by data from a command. */
  writeBlock(position: Vec3, data: Tag): void
}

// scores.js
export interface ServerAdditions {
  /** Compounds of `data … storage`, by name. */
  storage: Map<string, Tag>
}

// command-blocks.js
export interface CommandBlock {
  position: Vec3
  command: string
  /** True if the block needs no power. */
  isAlways: boolean
  tracks: boolean
  isPowered: boolean
  output: Component | null
  success: number
}
export interface ServerAdditions {
  commandBlocks: Map<string, CommandBlock>
  setCommand(
    position: Vec3,
    block: { command?: string; isAlways?: boolean; tracks?: boolean }
  ): void
  commandData(position: Vec3): Fields
}

// power.js
export type Powered = (position: Vec3, isPowered: boolean) => void
export interface ServerAdditions {
  /** Call the handler when something next to such a block changes. */
  onPower(names: string[], handler: Powered): void
}

// hazards.js
export interface PlayerAdditions {
  /** Remaining burn time. */
  burnTicks: number
  /** Remaining air, in ticks. */
  air: number
  sentAir: number
}

// gliding.js
export interface PlayerAdditions {
  isGliding: boolean
  glideTicks: number
}

// enchanting.js
export interface PlayerAdditions {
  enchantmentSeed: number
  enchantingTable: { window: Window; inputs: Store; shelves: number } | null
}

// anvils.js
export interface PlayerAdditions {
  anvil: { window: Window; rename(name: string): void } | null
}

// weather.js
export interface Weather {
  kind: 'clear' | 'rain' | 'thunder'
  /** Ticks until the weather clears up. */
  left: number
}
export interface ServerAdditions {
  weather: Weather
  setWeather(kind: Weather['kind'], ticks?: number): void
  sendWeather(players: Player[]): void
}

// trading.js
export interface Trade {
  /** Index in the list of all offers. */
  at: number
  buy: Item
  buyB: Item | null
  sell: Item
  most: number
  uses: number
  xp: number
  /** True if the trade gives experience. */
  isRewarded: boolean
  demand: number
  /** Price increase per unit of demand. */
  multiplier: number
  /** Number added to the price. */
  special: number
}
export interface ServerAdditions {
  openTrades(player: Player, trader: Animal): void
}
export interface PlayerAdditions {
  trader: { entity: Animal; window: Window; select(index: number): void } | null
}

// furnaces.js
export interface ServerAdditions {
  furnaceAt(position: Vec3): Furnace | null
  /** Create a furnace with a store's items; null if the block is not a furnace. */
  furnaceFrom(name: string, store: Store, position: Vec3): Furnace | null
}

// brewing-stands.js
export interface ServerAdditions {
  standAt(position: Vec3): BrewingStand | null
  /** Create a brewing stand with a store's items; null if the block is not a brewing stand. */
  standFrom(name: string, store: Store, position: Vec3): BrewingStand | null
}

// campfires.js
export interface ServerAdditions {
  campfireAt(position: Vec3): Container | null
  /** Create a campfire with a store's items; null if the block is not a campfire. */
  campfireFrom(name: string, store: Store, position: Vec3): Container | null
  /** Items on a campfire, as clients read them. */
  campfireData(position: Vec3): Fields
}

// lecterns.js
export interface ServerAdditions {
  lecternAt(position: Vec3): Container | null
}

// drops.js
export interface DropOptions {
  thrown?: boolean
  /** Blocks per tick. */
  velocity?: Vec3
  ageTicks?: number
}
export interface ServerAdditions {
  drops: Map<number, Drop>
  dropItem(item: Item, position: Vec3, options?: DropOptions): Drop
  removeDrop(drop: Drop): void
  changeDrop(drop: Drop, item: Item): void
}
export interface PlayerAdditions {
  throwItem(item: Item | null): void
  spillItem(item: Item): void
  giveOrThrow(name: string): void
}

// --- Blocks ---

// using.js
/** Use of an item without a block: 0 is the main hand, 1 the other. */
export type Use = (player: Player, item: Item, hand: number) => void
export interface ServerAdditions {
  onUse(names: string[], use: Use): void
}

export interface PlayerAdditions {
  /** Item in the hand when it was last used, before the use had an effect. */
  usedItem: Item | null
}

// placing.js
export type UseBlock = (player: Player, position: Vec3) => boolean
export type UseItem = (player: Player, position: Vec3, packet: BlockPlace) => boolean
export interface ServerAdditions {
  /** Call the handler when such an item is used on a block; true means it handled the use. */
  onUseItem(name: string, handler: UseItem): void
  useItemOn(player: Player, position: Vec3, packet: BlockPlace): boolean
  onUseBlock(names: string[], handler: UseBlock): void
  useBlock(player: Player, position: Vec3): boolean
}
export interface PlayerAdditions {
  canReach(position: Vec3): boolean
}

// openables.js
export interface ServerAdditions {
  /** Change some properties of a block. */
  changeBlock(position: Vec3, changes: Record<string, string>): void
  /** The same for both halves of a door. */
  changeDoor(position: Vec3, changes: Record<string, string>): void
}

// beds.js
export interface ServerAdditions {
  /** Before its owner respawns, remove a destroyed bed as the spawn point. */
  checkBed(player: Player): void
}
export interface PlayerAdditions {
  /** Head end of the bed in which the player is lying. */
  bed: Vec3 | null
  asleepSince: number
  /** True if the spawn point is a bed. */
  isBedSpawn: boolean
  wakeUp(): void
}

// signs.js
export interface ServerAdditions {
  signs: Map<string, SignText>
  /** A sign's text, as clients read it. */
  signData(position: Vec3): Fields
}
export interface PlayerAdditions {
  /** Sign whose editor the player has open. */
  editedSign: Vec3 | null
}

// buckets.js
export interface PlayerAdditions {
  /** Tick at which the player last emptied a bucket onto a block. */
  pouredTick: number
}

// support.js
export interface ServerAdditions {
  hasSupport(position: Vec3, state: number): boolean
}

// --- Life ---

// animals.js
export interface ServerAdditions {
  animals: Map<number, Animal>
  spawnAnimal(name: string, position: Vec3, random?: () => number): Animal
  removeAnimal(animal: Animal): void
  /** Prey of a monster, if any. */
  preyOf(animal: Animal): Player | null
  /** Strike or shoot, if the player is near enough and the last attack is long enough ago. */
  strike(animal: Animal, prey: Player): void
  canSee(animal: Animal, player: Player): boolean
  /** Apply a monster's damage to a player, with knockback from an origin. */
  wound(prey: Player, damage: number, cause: string, by: Animal, from?: Vec3): Wound
}

// archery.js
export interface ServerAdditions {
  /** Shoot an arrow, if the player is near enough and the last shot is long enough ago. */
  shootAt(animal: Animal, prey: Player): void
}

// pathfinding.js
export interface ServerAdditions {
  /** Direction of a monster's path to its prey, in radians; null on arrival. */
  headingTo(animal: Animal, prey: Player): number | null
}

// herds.js
export interface ServerAdditions {
  /** Columns whose initial herd has spawned. */
  herds: Set<string>
}

// effects.js
export interface ActiveEffect {
  ticks: number
  amplifier: number
}
export interface PlayerAdditions {
  activeEffects: Map<number, ActiveEffect>
  /** In the form that prismarine-block's dig times need. */
  effects: Record<number, { amplifier: number }>
  giveEffect(id: number, ticks: number, amplifier: number): void
  /** Send the player's effects to the player's own client after a reset. */
  /** Set effects without notification, for a returning player. */
  takeEffects(kept: [id: number, effect: ActiveEffect][]): void
  sendEffects(): void
  endEffect(id: number): void
}

// immunity.js
/** Kind of wound: new; more damage than the body is still immune to; or none (no damage). */
export type Wound = 'new' | 'more' | null

// health.js
export interface PlayerAdditions {
  health: number
  sendHealth(): void
  heal(amount: number): void
  hurt(damage: number, cause: string, by?: Player | Animal): Wound
}

// totems.js
export interface PlayerAdditions {
  /** Return true if a totem prevents a death: it is used up, and half a heart is left. */
  isSavedByTotem(cause: string): boolean
}

// vitals.js
export interface PlayerAdditions {
  /** Send changed health to players who see it. */
  showHealthToOthers(): void
  sendAttributes(): void
  /** Remaining absorption, in half hearts. */
  absorption: number
  setAbsorption(amount: number): void
}

// shields.js
export interface PlayerAdditions {
  /** Return true if a raised shield blocks damage; the shield wears. */
  blocks(damage: number, cause: string, by?: Player | Animal): boolean
}

// armour.js
export interface PlayerAdditions {
  /** Let the armour wear, and return the remaining damage in half hearts. */
  absorb(damage: number, cause: string): number
}

// experience.js
export interface PlayerAdditions {
  level: number
  /** Points since the last level. */
  points: number
  totalPoints: number
  sendExperience(): void
  /** Send changes since the last update. */
  sendChangedExperience(): void
  addExperience(amount: number): void
  addLevels(amount: number): void
  /** Add points; return true if they do not complete the current level. */
  setPoints(amount: number): boolean
}

// falls.js
export interface PlayerAdditions {
  /** Fall distance so far. */
  fallBlocks: number
  trackFall(before: Vec3, onGround: boolean): void
}

// hunger.js
export interface PlayerAdditions {
  food: number
  foodSaturation: number
  exhaustion: number
  tire(amount: number): void
  /** Add exhaustion for a move from a position, if the player is sprinting. */
  tireOfSprint(before: Vec3): void
  feed(food: number, saturation: number): void
  digest(): void
}

// eating.js
export interface PlayerAdditions {
  eat(): void
  /** Start drawing a bow, raising a shield, or looking through a spyglass. */
  startUsing(hand: number): void
  /** Hand in use, and the tick at which the use began. */
  using: { hand: number; since: number } | null
  /** Release the item: a bow shoots. */
  releaseUse(): void
  stopUsing(): void
}

// combat.js
export interface ServerAdditions {
  pushAway(victim: Player | Animal, from: Vec3): void
  /** Return true if the game rule and the teams let one player hurt another. */
  mayHurt(player: Player, victim: Entity): boolean
}
export interface PlayerAdditions {
  /** Tick at which the next blow began to charge. */
  strengthSince: number
  /** Kind of item that is charging. */
  armedWith: number | undefined
}

// death.js
export interface PlayerAdditions {
  isDead: boolean
  die(cause: string, by?: Player | Animal): void
}

// statistics.js
export interface ServerAdditions {
  /** Counts by player name (kept after a disconnect), then by category and number (`2,35`). */
  statistics: Map<string, Map<string, number>>
  statisticsOf(player: Player): Map<string, number>
}
export interface PlayerAdditions {
  /** Statistics that have changed since they were last sent to the client. */
  untold: Set<string>
}

// scores.js
export interface ServerAdditions {
  objectives: Map<string, Objective>
  /** Slot → objective. */
  displays: Map<string, string>
  addObjective(name: string, criterion: string, display: Component): Objective
  changeObjective(name: string, changes: Partial<Objective>): void
  removeObjective(name: string): void
  /** Values are wrapped to 32 bits. */
  setScore(name: string, holder: string, score: number): void
  /** Name and format of one entry; null means the default. */
  dressScore(
    name: string,
    holder: string,
    look: { name?: Component | null; format?: Format | null }
  ): void
  /** Scores of one objective, or of all if null. */
  resetScore(holder: string, name: string | null): void
  /** An empty name clears the slot. */
  displayObjective(slot: string, name: string): void
}

// --- Joining, leaving and saved data ---

// joining.js
export interface ServerAdditions {
  hashedSeed: [number, number]
  difficulty: number
}
export interface PlayerAdditions {
  op: boolean
  spawned?: boolean
  disconnected?: boolean
}

// game-modes.js
export interface ServerAdditions {
  /** The mode of new players. */
  gameMode: number
}
export interface PlayerAdditions {
  gameMode: number
  setGameMode(gameMode: number): void
  sendAbilities(): void
}

// joining.js
export interface ServerAdditions {
  sendPlayerList(to: Player[], players: Player[]): void
}

// portals.js
export interface PlayerAdditions {
  /** Ticks in a portal so far. */
  portalTicks: number
  /** Ticks outside portals until the player may use the next one. */
  portalCooldown: number
}

// spawning.js
export interface ServerAdditions {
  /** Where players without a personal spawn point appear. */
  setWorldSpawn(position: Vec3, angle: number): void
  spawnPlaceOf(player: Player): Vec3
}
export interface PlayerAdditions {
  spawnPoint: Vec3 | null
  /** Direction of a player who spawns there, in degrees. */
  spawnAngle: number
  reenter(isAlive: boolean): void
  /** Appear at the current position, in a world that the client loads again. */
  appear(isAlive: boolean): void
}

// playerdata.js
export interface ServerAdditions {
  savedPlayers: Map<string, PlayerData>
  savePlayer(player: Player): void
  restorePlayer(player: Player): void
}

// saving.js
export interface ServerAdditions {
  /** Absent if the world is not saved. */
  saveWorld?(): Promise<void>
  closeWorld?(): Promise<void>
}
