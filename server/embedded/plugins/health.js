/**
 * Health: falls, hunger, eating, healing, blows, death and coming back.
 *
 * Numbers are vanilla's on normal difficulty (minecraft.wiki: Hunger, Damage).
 */
import { registry, Vec3 } from '../minecraft.js'
import { blockAt } from './blocks.js'
import { component } from './chat.js'

const FULL = 20
const SURVIVAL = 0
const ADVENTURE = 2
const SPECTATOR = 3
const SAFE_FALL_BLOCKS = 3
const EXHAUSTION_PER_FOOD = 4
const EXHAUSTION = { sprintBlock: 0.1, jump: 0.05, sprintJump: 0.2, attack: 0.1, heal: 6 }
const HEAL_TICKS = { saturated: 10, fed: 80 }
const STARVE_TICKS = 80
const EAT_TICKS = 32
const VOID_Y = -128
const DAMAGE_TYPES = ['in_fire', 'fall', 'starve', 'player_attack', 'generic_kill', 'out_of_world']
const ALWAYS_EDIBLE =
  /^(golden_apple|enchanted_golden_apple|chorus_fruit|honey_bottle|milk_bucket)$/
const LEAVES_BEHIND = {
  mushroom_stew: 'bowl',
  rabbit_stew: 'bowl',
  beetroot_soup: 'bowl',
  suspicious_stew: 'bowl',
  honey_bottle: 'glass_bottle',
  milk_bucket: 'bucket'
}
const STATUS = { HURT: 2, DEATH: 3, ATE: 9 }
const BLOW_COOLDOWN_TICKS = 10
const REACH_BLOCKS = 6
const PUSH = { across: 0.4, up: 0.36 }
const VELOCITY_UNIT = 8000 // a block a tick
/** @type {Record<string, number>} */
const WEAPONS = {
  wooden_sword: 4,
  golden_sword: 4,
  stone_sword: 5,
  iron_sword: 6,
  diamond_sword: 7,
  netherite_sword: 8,
  wooden_axe: 7,
  golden_axe: 7,
  stone_axe: 9,
  iron_axe: 9,
  diamond_axe: 9,
  netherite_axe: 10,
  wooden_pickaxe: 2,
  stone_pickaxe: 3,
  iron_pickaxe: 4,
  diamond_pickaxe: 5
}

/** @type {Record<string, string>} */
const DEATHS = {
  fall: 'hit the ground too hard',
  starve: 'starved to death',
  out_of_world: 'fell out of the world',
  generic_kill: 'was killed'
}

/** @param {any} serv */
export function server(serv) {
  serv.on(
    'playerMoved',
    (/** @type {any} */ player, /** @type {any} */ before, /** @type {boolean} */ onGround) =>
      player.feelFall(before, onGround)
  )

  /** Knocks back. @param {any} victim @param {any} from */
  serv.pushAway = (victim, from) => {
    const away = victim.position.minus(from)
    const scale = PUSH.across / (Math.hypot(away.x, away.z) || 1)
    const push = new Vec3(away.x * scale, PUSH.up, away.z * scale)
    if (victim.type !== 'player') victim.velocity = push
    else {
      const velocity = push.scaled(VELOCITY_UNIT).floored()
      victim._client.write('entity_velocity', { entityId: victim.id, velocity })
    }
  }

  serv.on('tick', () => {
    for (const player of serv.players) {
      if (!player.spawned || player.isDead) continue
      if (player.position.y < VOID_Y) player.hurt(FULL, 'out_of_world')
      player.eat()
      player.digest()
    }
  })
}

/** @param {any} player @param {any} serv */
export function player(player, serv) {
  Object.assign(player, {
    health: FULL,
    food: FULL,
    foodSaturation: 5,
    isDead: false,
    fallBlocks: 0
  })
  let exhaustion = 0
  let healTicks = 0
  /** @type {{slot: number, item: any, until: number} | null} */
  let eating = null
  let lastBlow = -BLOW_COOLDOWN_TICKS

  const isMortal = () => player.gameMode === SURVIVAL || player.gameMode === ADVENTURE

  player.sendHealth = () =>
    player._client.write('update_health', {
      health: player.health,
      food: player.food,
      foodSaturation: player.foodSaturation
    })

  /** @param {number} amount */
  player.tire = (amount) => {
    if (isMortal()) exhaustion += amount
  }

  /** @param {any} before where the player was @param {boolean} onGround */
  player.feelFall = (before, onGround) => {
    const { y } = player.position
    const across = Math.hypot(player.position.x - before.x, player.position.z - before.z)
    if (player.sprinting && across > 0) player.tire(EXHAUSTION.sprintBlock * across)
    const feet = blockAt(serv, player.position.floored())?.name
    if (feet === 'water' || feet === 'ladder' || feet === 'vine') player.fallBlocks = 0
    else if (y < before.y) player.fallBlocks += before.y - y
    else if (y > before.y) player.fallBlocks = 0
    if (!onGround) return
    const damage = Math.ceil(player.fallBlocks - SAFE_FALL_BLOCKS)
    player.fallBlocks = 0
    if (damage > 0 && serv.gamerules.fallDamage) player.hurt(damage, 'fall')
  }

  /**
   * @param {number} damage in half hearts
   * @param {string} cause damage type, such as fall
   * @param {any} [by] the attacker
   */
  player.hurt = (damage, cause, by) => {
    const isAbsolute = cause === 'generic_kill' || cause === 'out_of_world'
    if (player.isDead || (!isMortal() && !isAbsolute)) return
    player.health = Math.max(0, player.health - damage)
    const watchers = [...player.watchers, player]
    serv.send(watchers, 'damage_event', {
      entityId: player.id,
      sourceTypeId: Math.max(0, DAMAGE_TYPES.indexOf(cause)),
      sourceCauseId: by ? by.id + 1 : 0,
      sourceDirectId: by ? by.id + 1 : 0,
      sourcePosition: undefined
    })
    player.sendHealth()
    serv.emit('playerHurt', player, damage, cause)
    if (player.health === 0) die(cause, by)
  }

  /** @param {string} cause @param {any} [by] */
  function die(cause, by) {
    player.isDead = true
    eating = null
    const how = by ? `was slain by ${by.username ?? by.name}` : (DEATHS[cause] ?? 'died')
    const message = `${player.username} ${how}`
    player.shutWindow()
    player.closeWindow()
    if (!serv.gamerules.keepInventory)
      for (const item of player.emptyPockets()) player.spillItem(item)
    player._client.write('death_combat_event', { playerId: player.id, message: component(message) })
    serv.send([...player.watchers], 'entity_status', {
      entityId: player.id,
      entityStatus: STATUS.DEATH
    })
    if (serv.gamerules.showDeathMessages) serv.broadcast(message)
    serv.emit('playerDied', player, cause)
  }

  player._client.on('client_command', (/** @type {{actionId: string}} */ { actionId }) => {
    if (actionId === 'perform_respawn' && player.isDead) comeBack()
  })

  function comeBack() {
    Object.assign(player, {
      isDead: false,
      health: FULL,
      food: FULL,
      foodSaturation: 5,
      fallBlocks: 0
    })
    exhaustion = 0
    const watchers = [...player.watchers]
    serv.send(watchers, 'entity_destroy', { entityIds: [player.id] })
    for (const watcher of watchers) watcher.seen.delete(player)
    player.watchers.clear()
    serv.moveEntity(player, serv.spawnPlaceOf(player), false)
    player.reenter()
    serv.enterEntity(player)
    player.sendHealth()
  }

  // --- Food ---

  player._client.on('use_item', (/** @type {any} */ { hand, sequence }) => {
    const food = player.heldItem && registry.foodsByName[player.heldItem.name]
    const isHungry = player.food < FULL || ALWAYS_EDIBLE.test(player.heldItem?.name ?? '')
    if (hand === 0 && food && isHungry && !player.isDead) {
      const item = player.heldItem
      eating = { slot: player.heldItemSlot, item, until: serv.tickCount + EAT_TICKS }
    }
    player._client.write('acknowledge_player_digging', { sequenceId: sequence ?? 0 })
  })

  player.stopUsing = () => {
    eating = null
  }

  /** @param {number} food @param {number} saturation */
  player.feed = (food, saturation) => {
    player.food = Math.min(FULL, player.food + food)
    player.foodSaturation = Math.min(player.food, player.foodSaturation + saturation)
    player.sendHealth()
  }

  /** @param {number} amount in half hearts */
  player.heal = (amount) => {
    if (player.isDead) return
    player.health = Math.min(FULL, player.health + amount)
    player.sendHealth()
  }

  /** Finishes a meal when its time has come. */
  player.eat = () => {
    if (!eating || serv.tickCount < eating.until) return
    const { item } = eating
    const isSame = player.heldItemSlot === eating.slot && player.heldItem?.type === item.type
    eating = null
    if (!isSame) return
    const { foodPoints, saturation } = registry.foodsByName[item.name]
    player.useUpHeld()
    player.feed(foodPoints, saturation)
    const rest = /** @type {Record<string, string>} */ (LEAVES_BEHIND)[item.name]
    if (rest) player.giveOrThrow(rest)
    serv.tellWindows()
    player._client.write('entity_status', { entityId: player.id, entityStatus: STATUS.ATE })
    player.sendHealth()
  }

  /** One tick of hunger and healing. */
  player.digest = () => {
    if (!isMortal()) return
    const before = [player.health, player.food, player.foodSaturation]
    if (serv.difficulty === 0) feedPeacefully()
    else spendExhaustion()
    recover()
    const after = [player.health, player.food, player.foodSaturation]
    if (after.some((value, index) => value !== before[index]) && !player.isDead) player.sendHealth()
  }

  function feedPeacefully() {
    exhaustion = 0
    if (serv.tickCount % 20 !== 0) return
    player.food = Math.min(FULL, player.food + 1)
    player.health = Math.min(FULL, player.health + 1)
  }

  function spendExhaustion() {
    if (exhaustion < EXHAUSTION_PER_FOOD) return
    exhaustion -= EXHAUSTION_PER_FOOD
    if (player.foodSaturation > 0) player.foodSaturation = Math.max(0, player.foodSaturation - 1)
    else player.food = Math.max(0, player.food - 1)
  }

  function recover() {
    healTicks += 1
    if (player.food === 0) {
      const isBearable = player.health > 1 || serv.difficulty === 3
      if (healTicks < STARVE_TICKS) return
      healTicks = 0
      if (isBearable && (player.health > 10 || serv.difficulty > 1)) player.hurt(1, 'starve')
      return
    }
    const isHurt = player.health < FULL && serv.gamerules.naturalRegeneration
    const isSaturated = player.food === FULL && player.foodSaturation > 0
    if (!isHurt || player.food < 18) {
      healTicks = 0
    } else if (healTicks >= (isSaturated ? HEAL_TICKS.saturated : HEAL_TICKS.fed)) {
      healTicks = 0
      const amount = isSaturated ? Math.min(player.foodSaturation, 6) / 6 : 1
      player.health = Math.min(FULL, player.health + amount)
      player.tire(isSaturated ? amount * EXHAUSTION.heal : EXHAUSTION.heal)
    }
  }

  // --- Blows ---

  player._client.on('use_entity', (/** @type {any} */ { mouse, target }) => {
    const victim = serv.entities[target]
    if (mouse !== 1 || !victim || player.isDead || player.gameMode === SPECTATOR) return
    if (player.position.distanceTo(victim.position) > REACH_BLOCKS) return
    const isReady = serv.tickCount - lastBlow >= BLOW_COOLDOWN_TICKS
    if (!isReady || (victim.type === 'player' && !serv.gamerules.pvp) || !victim.hurt) return
    lastBlow = serv.tickCount
    player.tire(EXHAUSTION.attack)
    const damage = WEAPONS[player.heldItem?.name] ?? 1
    if (player.heldItem?.name in WEAPONS)
      player.wearTool(/_sword$/.test(player.heldItem.name) ? 1 : 2)
    victim.hurt(damage, 'player_attack', player)
    serv.pushAway(victim, player.position)
  })
}
