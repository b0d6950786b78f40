/**
 * Power without wires: levers, buttons, plates, torches and blocks of redstone switch the doors,
 * gates, trapdoors and lamps next to them. They also switch those next to the block that they are
 * attached to or stand on.
 */
import { registry } from '../minecraft/index.js'
import { blockAt, FACES, key, propertiesOf, stateAt } from '../blocks/blocks.js'
import { isConductor } from '../blocks/full.js'
import { attachedTo } from '../blocks/support.js'

/** @import { Server, Vec3 } from '../types/index.d.ts' */
/** @import { Powered } from '../types/additions.d.ts' */

const [BELOW, ABOVE] = FACES
const SOURCE = /^lever$|_button$|_pressure_plate$|^redstone_(block|torch|wall_torch)$/
const CONSUMER = /_door$|_trapdoor$|_fence_gate$|^redstone_lamp$/
const PLATE = /_pressure_plate$/
/** Sound, by whether the block is now powered. @type {Record<string, string>} */
const SWINGS = { true: 'open', false: 'close' }
/** Ticks for which a plate stays down after a body has left it. */
const PLATE_TICKS = 20

/** Looked up by block id for each block that changes. */
const IS_SOURCE = Object.fromEntries(
  registry.blocksArray.map(({ id, name }) => [id, SOURCE.test(name)])
)

/** @param {Server} serv */
export function server(serv) {
  /** Reactions to power that other plugins have added. @type {Map<string, Powered>} */
  const handlers = new Map()
  serv.onPower = (names, handler) => {
    for (const name of names) handlers.set(name, handler)
  }
  const settleAt = (/** @type {Vec3} */ position) => {
    const handler = handlers.get(blockAt(serv, position)?.name)
    if (handler) handler(position, isPowered(serv, position))
    else settle(serv, position)
  }

  /** Plates that are pressed down. @type {Map<string, {position: Vec3, tick: number}>} */
  const down = new Map()

  serv.on('blockChanged', (position, before, after) => {
    const isSource = [before, after].some((state) => IS_SOURCE[registry.blocksByStateId[state].id])
    const { name } = registry.blocksByStateId[after]
    if (isSource) refresh(serv, position, settleAt)
    else if (CONSUMER.test(name) || handlers.has(name)) settleAt(position)
  })

  serv.on('playerMoved', (player) => step(player.position.floored()))

  serv.on('tick', () => {
    for (const [id, plate] of down) {
      if (plate.tick > serv.tickCount) continue
      const isPlate = PLATE.test(blockAt(serv, plate.position).name)
      if (isPlate && isStoodOn(serv, plate.position)) plate.tick = serv.tickCount + PLATE_TICKS
      else {
        down.delete(id)
        if (isPlate) serv.changeBlock(plate.position, { powered: 'false' })
      }
    }
  })

  /** @param {Vec3} position of a player */
  function step(position) {
    const state = stateAt(serv.overworld, position)
    if (!state || !PLATE.test(registry.blocksByStateId[state].name)) return
    if (propertiesOf(state).powered !== 'false' || down.has(key(position))) return
    serv.changeBlock(position, { powered: 'true' })
    down.set(key(position), { position, tick: serv.tickCount + PLATE_TICKS })
  }
}

/** @param {Server} serv @param {Vec3} position */
const isStoodOn = (serv, position) =>
  serv.players.some((player) => !player.isDead && player.position.floored().equals(position))

/**
 * Update everything that a source may switch.
 * @param {Server} serv @param {Vec3} position of the source @param {(position: Vec3) => void} look
 */
function refresh(serv, position, look) {
  for (const face of FACES) {
    const beside = position.plus(face)
    look(beside)
    if (isConductor(serv, beside)) for (const next of FACES) look(beside.plus(next))
  }
}

/** @param {Server} serv @param {Vec3} position */
function settle(serv, position) {
  const state = stateAt(serv.overworld, position)
  const { name } = registry.blocksByStateId[state]
  if (!state || !CONSUMER.test(name)) return
  const properties = propertiesOf(state)
  if (name === 'redstone_lamp') {
    const lit = String(isPowered(serv, position))
    if (lit !== properties.lit) serv.changeBlock(position, { lit })
    return
  }
  const isDoor = /_door$/.test(name)
  const other = position.offset(0, properties.half === 'lower' ? 1 : -1, 0)
  const powered = String(isPowered(serv, position) || (isDoor && isPowered(serv, other)))
  const { open } = properties
  if (powered === properties.powered) return
  if (open !== powered) serv.playSound(`block.${soundOf(name)}.${SWINGS[powered]}`, position)
  if (isDoor) serv.changeDoor(position, { powered, open: powered })
  else serv.changeBlock(position, { powered, open: powered })
}

/** Return the name of the sound of a block that is switched. @param {string} name of a block */
function soundOf(name) {
  if (name.endsWith('_fence_gate')) return 'fence_gate'
  const what = name.endsWith('_trapdoor') ? 'trapdoor' : 'door'
  return `${name.startsWith('iron_') ? 'iron' : 'wooden'}_${what}`
}

/** @param {Server} serv @param {Vec3} position */
function isPowered(serv, position) {
  return FACES.some((face) => {
    const beside = position.plus(face)
    if (isOn(serv, beside)) return true
    return (
      isConductor(serv, beside) && FACES.some((next) => drives(serv, beside.plus(next), beside))
    )
  })
}

/** Return true if a source is on. @param {Server} serv @param {Vec3} position */
function isOn(serv, position) {
  const state = stateAt(serv.overworld, position)
  const block = registry.blocksByStateId[state]
  if (!state || !IS_SOURCE[block.id]) return false
  if (block.name === 'redstone_block') return true
  const { powered, lit, power } = propertiesOf(state)
  return powered === 'true' || lit === 'true' || Number(power) > 0
}

/**
 * Return true if a source that is on is attached to a block or stands on it.
 * @param {Server} serv @param {Vec3} position @param {Vec3} base
 */
function drives(serv, position, base) {
  if (!isOn(serv, position)) return false
  const state = stateAt(serv.overworld, position)
  const { name } = registry.blocksByStateId[state]
  const { face, facing } = propertiesOf(state)
  if (PLATE.test(name)) return position.plus(BELOW).equals(base)
  if (name === 'lever' || /_button$/.test(name)) {
    return position.minus(attachedTo(face, facing)).equals(base)
  }
  return name.endsWith('torch') && position.plus(ABOVE).equals(base)
}
