/**
 * Players' distances, jumps and play time, for objectives (minecraft.wiki: Statistics). Distances
 * are in hundredths of a block, times in ticks.
 */
import { blockAt } from '../blocks/blocks.js'

/** @import { Player, Server, Vec3 } from '../types/index.d.ts' */

const EYES = 1.62
const CLIMBED = /^(ladder|scaffolding)$|vines?(_plant)?$/
const SHORTEST_FALL = 2
/** Flights slower than this, in hundredths of a block per tick, do not count. */
const SHORTEST_FLIGHT = 25
const HUNDREDTHS = 100

/** @param {Server} serv */
export function server(serv) {
  const count = (/** @type {Player} */ player, /** @type {string} */ name, amount = 1) => {
    if (amount > 0) serv.emit('counted', player, 'custom', name, amount)
  }
  const isCounting = () => {
    for (const { criterion } of serv.objectives.values())
      if (criterion.startsWith('minecraft.custom:')) return true
    return false
  }
  /** True if the player was on the ground at the last move. @type {WeakMap<Player, boolean>} */
  const stood = new WeakMap()

  serv.on('playerMoved', (player, before, onGround) => {
    const wasOnGround = stood.get(player) ?? false
    stood.set(player, onGround)
    if (!serv.objectives.size || !isCounting()) return
    const step = player.position.minus(before)
    if (wasOnGround && !onGround && step.y > 0) count(player, 'jump')
    const [name, blocks] = wayOf(serv, player, step, onGround)
    const hundredths = Math.round(HUNDREDTHS * blocks)
    if (name !== 'fly' || hundredths > SHORTEST_FLIGHT) count(player, `${name}_one_cm`, hundredths)
  })

  serv.on('playerLanded', (player, blocks) => {
    if (blocks >= SHORTEST_FALL) count(player, 'fall_one_cm', Math.round(HUNDREDTHS * blocks))
  })

  serv.on('playerHurt', (player, damage) => count(player, 'damage_taken', Math.round(10 * damage)))

  serv.on('animalBorn', (_young, one, other) => {
    const player = serv.uuidToPlayer[one.fedBy ?? other.fedBy ?? '']
    if (player) count(player, 'animals_bred')
  })

  serv.on('tick', () => {
    if (!serv.objectives.size || !isCounting()) return
    for (const player of serv.players) {
      if (!player.spawned) continue
      for (const name of ['play_time', 'total_world_time']) count(player, name)
      if (!player.isDead) count(player, 'time_since_death')
      if (player.crouching) count(player, 'sneak_time')
    }
  })
}

/**
 * Return the kind of a step, and the distance that counts.
 * @param {Server} serv @param {Player} player @param {Vec3} step @param {boolean} onGround
 * @returns {[name: string, blocks: number]}
 */
function wayOf(serv, player, { x, y, z }, onGround) {
  const across = Math.hypot(x, z)
  const whole = Math.hypot(x, y, z)
  const at = (/** @type {number} */ height) =>
    blockAt(serv, player.position.offset(0, height, 0).floored())?.name ?? 'air'
  if (at(EYES) === 'water') return ['walk_under_water', whole]
  const feet = at(0)
  if (feet === 'water') return ['walk_on_water', across]
  if (CLIMBED.test(feet) && !onGround) return ['climb', Math.max(0, y)]
  if (player.isGliding) return ['aviate', whole]
  if (!onGround) return ['fly', across]
  if (player.sprinting) return ['sprint', across]
  return [player.crouching ? 'crouch' : 'walk', across]
}
