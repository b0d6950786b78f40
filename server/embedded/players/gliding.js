/** Gliding with elytra, driven by rockets. */
import { Item } from '../minecraft/index.js'
import { blockAt, FACES } from '../blocks/blocks.js'

/** @import { Item as Stack, Packet, Player, Server, Thing, Vec3 } from '../types/index.d.ts' */

const CHEST = 6
const WEAR_TICKS = 20
const BOOST_TICKS = 10
/** A landing is soft if the player sinks more slowly than this, in blocks per tick. */
const SOFT_FALL = 0.5

/** @param {Server} serv */
export function server(serv) {
  serv.once('asap', () => {
    serv.onUse(['firework_rocket'], (player, item, hand) => {
      if (!player.isGliding) return
      launch(serv, player.position, item, player)
      player.useUp(hand)
    })
    serv.onUseItem('firework_rocket', (player, position, { direction }) => {
      if (player.isGliding || !player.heldItem) return false
      const place = position.plus(FACES[direction]).offset(0.5, 0, 0.5)
      launch(serv, place, player.heldItem, null)
      player.useUpHeld()
      return true
    })
  })

  serv.on('playerMoved', (player, before, onGround) => {
    if (!player.isGliding) return
    if (before.y - player.position.y < SOFT_FALL) player.fallBlocks = Math.min(1, player.fallBlocks)
    if (onGround) setGliding(player, false)
  })

  serv.on('tick', () => {
    for (const player of serv.players) {
      if (!player.isGliding) continue
      player.glideTicks += 1
      const isWet = blockAt(serv, player.position.floored())?.name === 'water'
      if (isWet || player.isDead || player.vehicle || !wings(player)) setGliding(player, false)
      else if (player.glideTicks % WEAR_TICKS === 0) player.wearSlot(CHEST, 1)
    }
  })
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.isGliding = false
  player.glideTicks = 0
  player._client.on('entity_action', ({ actionId }) => {
    if (actionId !== 'start_fall_flying') return
    const isWet = blockAt(serv, player.position.floored())?.name === 'water'
    const mayGlide = wings(player) && !player.onGround && !isWet && !player.vehicle
    setGliding(player, Boolean(mayGlide) && !player.isDead)
  })
}

/** @param {Player} player @returns {Stack | null} usable elytra */
function wings(player) {
  const worn = player.inventory.slots[CHEST]
  const used = worn?.nbt?.value?.Damage?.value ?? 0
  return worn?.name === 'elytra' && used < 431 ? worn : null
}

/** @param {Player} player @param {boolean} isGliding */
function setGliding(player, isGliding) {
  player.isGliding = isGliding
  player.glideTicks = 0
  for (const [name, fields] of player.poses()) player._writeNearby(name, fields)
}

/** @param {Server} serv @param {Vec3} position @param {Stack} item @param {Player | null} rider */
function launch(serv, position, item, rider) {
  const tag = /** @type {any} */ (item.nbt?.value)
  const flight = tag?.Fireworks?.value?.Flight?.value ?? 1
  const life = BOOST_TICKS * (flight + 1) + Math.floor(serv.random() * 12)
  const rocket = serv.addThing('firework_rocket', position, (thing) => ({
    appearance: () => looksOf(thing, item, rider),
    step: () => {
      if (thing.ageTicks > life) return serv.removeThing(thing)
      if (rider) return serv.moveEntity(thing, rider.position.clone())
      thing.velocity.y += 0.04
      serv.moveEntity(thing, thing.position.plus(thing.velocity))
    }
  }))
  serv.playSound('entity.firework_rocket.launch', position)
  return rocket
}

/** @param {Thing} thing @param {Stack} item @param {Player | null} rider @returns {Packet[]} */
function looksOf(thing, item, rider) {
  const keys = thing.kind.metadataKeys
  const metadata = [
    { key: keys.indexOf('fireworks_item'), type: 'item_stack', value: Item.toNotch(item) },
    {
      key: keys.indexOf('attached_to_target'),
      type: 'optional_unsigned_int',
      value: rider ? rider.id + 1 : 0
    }
  ]
  return [['entity_metadata', { entityId: thing.id, metadata }]]
}
