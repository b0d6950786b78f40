/**
 * What each plugin adds to the server, to players and to all entities: one section a plugin.
 * Long for a reason: declarations only, which are looked up by a plugin's name in one place.
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
  /** Puts a thing into the world; what `traits` has is there before anybody sees it. */
  addThing(name: string, position: Vec3, traits: (thing: Thing) => Partial<Thing>): Thing
  removeThing(thing: Thing): void
  /** What `summon` and items make of an entity's name. */
  onSummon(names: string[], make: Summon): void
  /** Null for what cannot be summoned. */
  summon(name: string, position: Vec3, data?: Tag): Entity | null
}
export type Summon = (position: Vec3, data: Tag | undefined, name: string) => Entity

// replays.js
export interface ServerAdditions {
  /** The folder for replays; null: there are none. */
  replays: string | null
  /** Finishes a client's replay, which has left. */
  endReplay(replay: Replay): void
  /** Settled once all that ended are whole. */
  replaysEnded(): Promise<void>
}
export interface PlayerAdditions {
  replay: Replay | null
}

// orbs.js
export interface ServerAdditions {
  /** Lays orbs of so much experience together into the world. */
  spillExperience(amount: number, position: Vec3): void
}
export interface PlayerAdditions {
  /** When it took its last orb. */
  orbTick: number
}

// falling-blocks.js
export interface ServerAdditions {
  dropBlock(position: Vec3, state: number): Thing
}

// explosions.js
export interface ServerAdditions {
  explode(position: Vec3, power: number, by?: Entity): void
  /** Lights TNT that lies there no longer as a block. */
  ignite(position: Vec3, fuse?: number): Thing
}

// fire.js
export interface ServerAdditions {
  /** @returns whether a fire can burn there; it does then. */
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
  /** As which item clients draw it. */
  item?: Item
  /** It is gone by then. */
  onHit?(hit: Hit): void
  /** For what does not go when it hits. */
  arrow?: { isStuck: boolean; hit(hit: Hit): void; rest(thing: Thing): void }
}
export interface ServerAdditions {
  shoot(flight: Flight): Thing
}
export interface PlayerAdditions {
  /** Item → until when it cannot be used again. */
  cooldowns: Map<number, number>
  coolDown(item: { type: number }, ticks: number): void
}

// labels.js
export interface BodyAdditions {
  tags: Set<string>
  customName: Component | null
}
export interface ServerAdditions {
  /** Takes what any entity may be summoned with: its name, its tags, whether it moves. */
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
  /** Has all that ride it get off. */
  dismountAll(vehicle: Entity): void
}

// sight.js
export interface ServerAdditions {
  lookAround(player: Player): void
}
export interface PlayerAdditions {
  /** What the client knows of → tick of the last update. */
  seen: Map<Entity, number>
}

// pacing.js: the bytes of an entity's last move, made once a tick for all who see it
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
  /** How late the last ticks started, and how long they took, in milliseconds. */
  tickDelays: number[]
  tickTimes: number[]
  /** When they started, by the wall's `performance.now()`. */
  tickWalls: number[]
  /** When the next one is due, as the game's Unix time in milliseconds. */
  nextTick: number
  skippedTicks: number
  lastTicks(ring: number[], count: number): number[]
  stopTicks(): void
}

// delays.js: shares of the time of the last ticks, from 0 to 1
export interface ServerAdditions {
  /** In which the client that was held up least did not answer. */
  clientDelay(ticks: number): number
  /** By which the latest tick of each second started late. */
  tickDelay(ticks: number): number
}
export interface PlayerAdditions {
  askForSign(): void
  /** The question that is not answered yet: when it was asked, and how often lockstep.js looked since. */
  asked: { tick: number; at: number; looks: number } | null
  /** Milliseconds of game time that it took to answer since a tick. */
  delaySince(tick: number): number
}

// lockstep.js
export interface ServerAdditions {
  /** Lets the clock run on, as far as all have come along. */
  lendTime(): void
  /** Whether the clock stands because somebody wanted it to. */
  isFrozen: boolean
  /** Stops the clock, or lets it run; without a clock that is lent, nothing. */
  freeze(isFrozen: boolean): void
  /** After how many ticks a clock stands again that was let go on for them; else 0. */
  stepsLeft: number
  step(ticks: number): void
  /** Ticks between two signs of life of who follows. */
  signTicks(): number
}
export interface PlayerAdditions {
  /** Whether the clock waits for this client. */
  follows: boolean
  /** The game's Unix time, in milliseconds, that the clock is not to pass for now. */
  mayPass(): number
}

// hearing.js
export interface ServerAdditions {
  /** Whether a client has certainly been told what a block is now. */
  hasHeard(player: Player, position: Position): boolean
}
export interface PlayerAdditions {
  /** The tick in which the last question was asked that was answered. */
  heardTick: number
}

// movement.js
export interface ServerAdditions {
  /** Whether players may hang in the air. */
  allowFlight: boolean
}

// digging.js
export interface PlayerAdditions {
  /** Whether a block is about to break that the client has dug through already. */
  isBreaking(position: Vec3): boolean
}

// time.js
export interface ServerAdditions {
  /** Ticks since the first day began. */
  time: number
  setTime(time: number): void
  tellTime(players: Player[]): void
}

// world.js
export interface ServerAdditions {
  overworld: World
  land: Land
  /** Columns whose chests and signs were taken from a world of Minecraft. */
  opened: Set<string>
  /** Columns of a world of Minecraft whose animals were taken. */
  peopled: Set<string>
  seed: number
  terrain: string
  worldSpawn: Vec3
  /** How who comes there looks, in degrees. */
  spawnAngle: number
  /** Columns that `forceload` was asked for, such as `3,-1`. */
  forced: Set<string>
  columnAt(chunkX: number, chunkZ: number): Column
  loadBox(low: Position, high: Position): void
  setBlock(position: Position, state: number): boolean
}

// block-changes.js
export interface ServerAdditions {
  tellBlock(player: Player, position: Position): void
  /** Tells a block to all who have its column, though it is as it was. */
  retellBlock(position: Position): void
  blockAction(position: Position, action: number, value: number): void
}

// light.js: where nothing is loaded it is dark
export interface ServerAdditions {
  /** Of the sky by day, and of blocks: 0 to 15. */
  skyLightAt(position: Position): number
  blockLightAt(position: Position): number
  /** The brighter of the two, with the sky so much darker; left out, as it is at this hour. */
  brightnessAt(position: Position, darkness?: number): number
  /** By how much the sky is darker than by day: 0 to 11. */
  skyDarkness(): number
  /** Height of the lowest cell that sees the sky; the world's bottom where nothing is loaded. */
  openHeightAt(position: Position): number
  /** Whether nothing above takes of its light. */
  seesSky(position: Position): boolean
  /** The light of a column, as packets have it. */
  lightOf(chunkX: number, chunkZ: number): Fields
}

// chunks.js
export interface ServerAdditions {
  resendColumn(id: string, players: Player[]): void
  /** What a column holds besides its blocks has changed. */
  forgetColumn(position: Position): void
  sendFirstColumns(player: Player): void
  sendColumnsAround(player: Player): void
}
export interface PlayerAdditions {
  /** Ids of the columns that the client has. */
  chunks: Set<string>
  chunkQueue: [chunkX: number, chunkZ: number][]
  chunkCentre: string
  /** In columns; left out until the client tells. */
  view?: number
  forgetChunks(): void
}

// --- Moving, speaking, seeing ---

// teleports.js
export interface PlayerAdditions {
  /** Whether the client has not confirmed its last teleport yet. */
  isAstray(): boolean
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
  broadcast(text: Component | string, options?: { to?: Player[] }): void
  /** Shows a text in one of the places that packets have for it, such as a title. */
  showText(players: Player[], packet: string, text: Component): void
}
export interface PlayerAdditions {
  system(text: Component | string): void
  kick(reason: Component): void
  /** Whether it was expelled: nothing that it sends counts any more. */
  isExpelled: boolean
  /** Kicks who breaks the game's rules, and says why in the log. */
  expel(reason: Component, why: string): void
}

// commands.js
export interface ServerAdditions {
  tellOperators(text: Component, source: Source): void
}
export interface PlayerAdditions {
  handleCommand(line: string): void
  setOperator(wanted: boolean): void
  /** Tells the client whether it is an operator's, and which commands it has. */
  sendRights(): void
}

// teams.js
export interface ServerAdditions {
  teams: Map<string, Team>
  /** By the name of a player or another's uuid. */
  teamOf(holder: string): Team | undefined
  addTeam(name: string, displayName: Component): Team
  removeTeam(team: Team): void
  changeTeam(team: Team, changes: Partial<Team>): void
  joinTeam(team: Team, holders: string[]): void
  leaveTeam(team: Team, holders: string[]): void
  tellTeams(players: Player[], teams: Team[]): void
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
  /** A chest of some kind that is opened or shut. */
  soundLid(name: string, position: Vec3, isOpened: boolean): void
}

// --- Items, windows, containers ---

// inventory.js
export interface PlayerAdditions {
  inventory: Store
  enderChest: Store
  /** The 2 × 2 grid of the player's own window. */
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
  /** What is in a hand: 0 is the main one, 1 the other. */
  inHand(hand: number): Item | null
  putInHand(hand: number, item: Item | null): void
  /** Uses one up, in any game mode but creative. */
  useUp(hand: number): void
  /** The same as `wearTool`, of either hand. */
  wearHand(hand: number, uses: number): void
  wearSlot(slot: number, uses: number): void
  /** Uses one up, for another thing: a bucket, say, for a full one. */
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
  tellWindows(): void
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
  /** At which a lectern's book is open; the first is 0. */
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
  /** Tells what a block holds besides its state: to all who have its column, or to some. */
  tellBlockEntity(position: Vec3, players?: Player[]): void
}

// block-data.js
export interface ServerAdditions {
  /** What nothing here reads, kept for clients. */
  blockData: Map<string, Tag>
  setBlockData(position: Vec3, data: Tag): void
  /** What `data` tells of a block; null for one that has nothing to tell. */
  blockTag(position: Vec3): Tag | null
  /** Makes what a block holds what a command says, and nothing else. */
  writeBlock(position: Vec3, data: Tag): void
}

// storage.js
export interface ServerAdditions {
  /** What `data … storage` keeps, by name: compounds. */
  storage: Map<string, Tag>
}

// command-blocks.js
export interface CommandBlock {
  position: Vec3
  command: string
  /** Whether it needs no power. */
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
  /** Calls the handler when something beside such a block changes. */
  onPower(names: string[], handler: Powered): void
}

// hazards.js
export interface PlayerAdditions {
  /** How long it still burns. */
  burnTicks: number
  /** Breath that is left, in ticks. */
  air: number
  airTold: number
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
  /** Ticks until it clears up. */
  left: number
}
export interface ServerAdditions {
  weather: Weather
  setWeather(kind: Weather['kind'], ticks?: number): void
  tellWeather(players: Player[]): void
}

// trading.js
export interface Trade {
  /** Its place among all that were told. */
  at: number
  buy: Item
  buyB: Item | null
  sell: Item
  most: number
  uses: number
  xp: number
  /** Whether whoever trades gets experience. */
  isRewarded: boolean
  demand: number
  /** So much of the price is added for each of the demand. */
  multiplier: number
  /** Added to the price. */
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
  /** Makes a furnace with what is in a store; null where the name is of no furnace. */
  furnaceFrom(name: string, store: Store, position: Vec3): Furnace | null
}

// brewing-stands.js
export interface ServerAdditions {
  standAt(position: Vec3): BrewingStand | null
  /** Makes one with what is in a store; null where the name is of no brewing stand. */
  standFrom(name: string, store: Store, position: Vec3): BrewingStand | null
}

// campfires.js
export interface ServerAdditions {
  campfireAt(position: Vec3): Container | null
  /** Makes one with what is in a store; null where the name is of no campfire. */
  campfireFrom(name: string, store: Store, position: Vec3): Container | null
  /** What lies on one, as clients take it. */
  campfireData(position: Vec3): Fields
}

// lecterns.js
export interface ServerAdditions {
  lecternAt(position: Vec3): Container | null
}

// drops.js
export interface DropOptions {
  thrown?: boolean
  /** Blocks a tick. */
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
/** What an item does that is used without a block: 0 is the main hand, 1 the other. */
export type Use = (player: Player, item: Item, hand: number) => void
export interface ServerAdditions {
  onUse(names: string[], use: Use): void
}

export interface PlayerAdditions {
  /** What was in the hand when it was used last, before that did anything. */
  usedItem: Item | null
}

// placing.js
export type UseBlock = (player: Player, position: Vec3) => boolean
export type UseItem = (player: Player, position: Vec3, packet: BlockPlace) => boolean
export interface ServerAdditions {
  /** Calls the handler when such an item is used on a block; it returns whether that was a use. */
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
  /** Changes some properties of a block. */
  changeBlock(position: Vec3, changes: Record<string, string>): void
  /** The same, for both halves of a door. */
  changeDoor(position: Vec3, changes: Record<string, string>): void
}

// beds.js
export interface ServerAdditions {
  /** Forgets a bed that is gone, before its owner comes back. */
  checkBed(player: Player): void
}
export interface PlayerAdditions {
  /** The head of the bed in which it lies. */
  bed: Vec3 | null
  asleepSince: number
  /** Whether the spawn point is a bed's. */
  isBedSpawn: boolean
  wakeUp(): void
}

// signs.js
export interface ServerAdditions {
  signs: Map<string, SignText>
  /** A sign's text as clients take it. */
  signData(position: Vec3): Fields
}
export interface PlayerAdditions {
  /** The sign whose editor is open. */
  editedSign: Vec3 | null
}

// buckets.js
export interface PlayerAdditions {
  /** When it last poured a bucket out onto a block. */
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
  /** Whom a monster goes for, if anybody. */
  preyOf(animal: Animal): Player | null
  /** A blow or a shot, where that is near enough and the last one is long ago. */
  strike(animal: Animal, prey: Player): void
  canSee(animal: Animal, player: Player): boolean
  /** What a monster does to a player; knocked back from where it came from. */
  wound(prey: Player, damage: number, cause: string, by: Animal, from?: Vec3): Wound
}

// archery.js
export interface ServerAdditions {
  /** An arrow, where that is near enough and the last one is long ago. */
  shootAt(animal: Animal, prey: Player): void
}

// ways.js
export interface ServerAdditions {
  /** Where a monster walks to get to its prey, in radians; null where it is there. */
  headingTo(animal: Animal, prey: Player): number | null
}

// herds.js
export interface ServerAdditions {
  /** Columns whose herd has come. */
  herds: Set<string>
}

// effects.js
export interface ActiveEffect {
  ticks: number
  amplifier: number
}
export interface PlayerAdditions {
  activeEffects: Map<number, ActiveEffect>
  /** As prismarine-block's dig times want them. */
  effects: Record<number, { amplifier: number }>
  giveEffect(id: number, ticks: number, amplifier: number): void
  /** Tells its own client, which has begun anew, what it has. */
  /** Has them without a word, as one who comes back. */
  takeEffects(kept: [id: number, effect: ActiveEffect][]): void
  tellEffects(): void
  endEffect(id: number): void
}

// sparing.js
/** A new one, more of one that still spares who has it, or none: nothing was hurt. */
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
  /** Whether a totem keeps it from dying of something: it is used up then, and half a heart is left. */
  isSavedByTotem(cause: string): boolean
}

// vitals.js
export interface PlayerAdditions {
  /** Tells who sees it its health, where that has changed. */
  tellHealth(): void
  tellAttributes(): void
  /** Golden hearts that are left, in half hearts. */
  absorption: number
  setAbsorption(amount: number): void
}

// shields.js
export interface PlayerAdditions {
  /** Whether a raised shield keeps a blow off; it is worn then. */
  blocks(damage: number, cause: string, by?: Player | Animal): boolean
}

// armour.js
export interface PlayerAdditions {
  /** Wears what is worn, and returns what comes through it, in half hearts. */
  absorb(damage: number, cause: string): number
}

// experience.js
export interface PlayerAdditions {
  level: number
  /** Since the last level. */
  points: number
  totalPoints: number
  sendExperience(): void
  /** Sends it where it has changed since. */
  tellExperience(): void
  addExperience(amount: number): void
  addLevels(amount: number): void
  /** Returns whether they are fewer than the next level takes. */
  setPoints(amount: number): boolean
}

// falls.js
export interface PlayerAdditions {
  /** How deep it has fallen. */
  fallBlocks: number
  feelFall(before: Vec3, onGround: boolean): void
}

// hunger.js
export interface PlayerAdditions {
  food: number
  foodSaturation: number
  exhaustion: number
  tire(amount: number): void
  /** For the way from where the player was, if it sprinted. */
  tireOfSprint(before: Vec3): void
  feed(food: number, saturation: number): void
  digest(): void
}

// eating.js
export interface PlayerAdditions {
  eat(): void
  /** Begins to draw a bow, to raise a shield, to look through a glass. */
  startUsing(hand: number): void
  /** Which hand uses its item, and since which tick. */
  using: { hand: number; since: number } | null
  /** Lets go: a bow shoots. */
  releaseUse(): void
  stopUsing(): void
}

// combat.js
export interface ServerAdditions {
  pushAway(victim: Player | Animal, from: Vec3): void
  /** Whether game rule and teams let a player hurt somebody. */
  mayHurt(player: Player, victim: Entity): boolean
}
export interface PlayerAdditions {
  /** Since which tick its next blow gathers strength. */
  strengthSince: number
  /** The kind of item with which it does. */
  armedWith: number | undefined
}

// death.js
export interface PlayerAdditions {
  isDead: boolean
  die(cause: string, by?: Player | Animal): void
}

// statistics.js
export interface ServerAdditions {
  /** By the player's name, which outlasts its connection: how often by category and number, such as `2,35`. */
  statistics: Map<string, Map<string, number>>
  statisticsOf(player: Player): Map<string, number>
}
export interface PlayerAdditions {
  /** Which of its statistics the client has not been told as they are now. */
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
  /** Kept as 32 bits hold it. */
  setScore(name: string, holder: string, score: number): void
  /** How one entry is named and written; null: as others are. */
  dressScore(
    name: string,
    holder: string,
    look: { name?: Component | null; format?: Format | null }
  ): void
  /** Of one objective, or of all where it is null. */
  resetScore(holder: string, name: string | null): void
  /** An empty name empties the slot. */
  displayObjective(slot: string, name: string): void
}

// --- Coming, going and what is kept ---

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

// player-list.js
export interface ServerAdditions {
  tellPlayers(to: Player[], players: Player[]): void
}

// portals.js
export interface PlayerAdditions {
  /** For how long it has been in a portal. */
  portalTicks: number
  /** How long it has to be out of portals until it may go through the next. */
  portalCooldown: number
}

// spawning.js
export interface ServerAdditions {
  /** Where who has no spawn point of its own appears. */
  setWorldSpawn(position: Vec3, angle: number): void
  spawnPlaceOf(player: Player): Vec3
}
export interface PlayerAdditions {
  spawnPoint: Vec3 | null
  /** How it looks there, in degrees. */
  spawnAngle: number
  reenter(isAlive: boolean): void
  /** Appears where it is now, in a world that its client gets anew. */
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
  /** Left out where the world is not kept. */
  saveWorld?(): Promise<void>
  closeWorld?(): Promise<void>
}
