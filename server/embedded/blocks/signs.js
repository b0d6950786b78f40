/** Signs: the sign editor, the text, and updates for players. */
import { nbt, registry, Vec3 } from '../minecraft/index.js'
import { key, propertiesOf, stateAt } from './blocks.js'

/** @import { Fields, Player, Server } from '../types/index.d.ts' */

const SIGN = /_sign$/
const LINES = 4
const LONGEST_LINE = 384
/** Maximum distance at which a player can write on a sign. */
const REACH_BLOCKS = 8
/** Numbers of block entity types in 1.20.4. */
const TYPE = { sign: 7, hanging_sign: 8 }
const SIGNS = Object.keys(registry.blocksByName).filter((name) => SIGN.test(name))
/** Rotation of a wall sign's front, in degrees. @type {Record<string, number>} */
const TURNS = { south: 0, west: 90, north: 180, east: 270 }

/** @typedef {{front: string[], back: string[]}} SignText four lines per side */

/** @param {Server} serv */
export function server(serv) {
  serv.signs = new Map()

  serv.onUseBlock(SIGNS, (player, position) => {
    editSign(serv, player, position)
    return true
  })

  serv.on('blockPlaced', (player, position, state) => {
    if (SIGN.test(registry.blocksByStateId[state].name)) editSign(serv, player, position)
  })

  serv.on('blockChanged', (position, before, after) => {
    if (serv.signs.size && SIGN.test(registry.blocksByStateId[before].name)) {
      const isSame = registry.blocksByStateId[before] === registry.blocksByStateId[after]
      if (!isSame) serv.signs.delete(key(position))
    }
  })

  serv.signData = (position) => signTag(serv.signs.get(key(position)))
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.editedSign = null

  player._client.on('update_sign', ({ location, isFrontText, text1, text2, text3, text4 }) => {
    const position = new Vec3(location.x, location.y, location.z)
    const isTheirs = player.editedSign !== null && position.equals(player.editedSign)
    player.editedSign = null
    const state = stateAt(serv.overworld, position)
    const isNear = player.position.distanceTo(position) <= REACH_BLOCKS
    if (!isTheirs || !isNear || player.isDead || !SIGN.test(registry.blocksByStateId[state].name))
      return
    const lines = [text1, text2, text3, text4].map((line) => line.slice(0, LONGEST_LINE))
    const text = serv.signs.get(key(position)) ?? { front: blank(), back: blank() }
    serv.signs.set(key(position), { ...text, [isFrontText ? 'front' : 'back']: lines })
    serv.emit('blockChanged', position, state, state)
    tellSign(serv, position)
  })
}

const blank = () => new Array(LINES).fill('')

/** @param {Server} serv @param {Player} player @param {Vec3} position */
function editSign(serv, player, position) {
  player.editedSign = position
  player._client.write('open_sign_entity', {
    location: position,
    isFrontText: isBefore(serv, player, position)
  })
}

/**
 * Return true if a player stands on a sign's front side.
 * @param {Server} serv @param {Player} player @param {Vec3} position
 */
function isBefore(serv, player, position) {
  const { facing, rotation } = propertiesOf(stateAt(serv.overworld, position))
  const turn = facing ? TURNS[facing] : (Number(rotation) * 360) / 16
  const away = player.position.minus(position.offset(0.5, 0, 0.5))
  const angle = (turn * Math.PI) / 180
  return away.z * Math.cos(angle) - away.x * Math.sin(angle) >= 0
}

/** @param {Server} serv @param {Vec3} position */
function tellSign(serv, position) {
  const column = `${position.x >> 4},${position.z >> 4}`
  const watchers = serv.players.filter(({ chunks }) => chunks.has(column))
  const isHanging = /_hanging_sign$/.test(
    registry.blocksByStateId[stateAt(serv.overworld, position)].name
  )
  serv.send(watchers, 'tile_entity_data', {
    location: position,
    action: isHanging ? TYPE.hanging_sign : TYPE.sign,
    nbtData: serv.signData(position)
  })
}

/** @param {SignText | undefined} text @returns {Fields} NBT, as clients take it */
export function signTag(text) {
  const side = (/** @type {string[]} */ lines) =>
    nbt.comp({
      messages: nbt.list(nbt.string(lines.map((line) => JSON.stringify({ text: line })))),
      color: nbt.string('black'),
      has_glowing_text: nbt.byte(0)
    })
  return nbt.comp({
    is_waxed: nbt.byte(0),
    front_text: side(text?.front ?? blank()),
    back_text: side(text?.back ?? blank())
  })
}
