/** Doors, gates, trapdoors, levers and buttons that players operate by a click. */
import { registry } from '../minecraft/index.js'
import { blockAt, propertiesOf, stateAt, stateLike } from '../blocks/blocks.js'
import { HORIZONTAL, OPPOSITE } from '../blocks/orientation.js'

/** @import { Player, Server, Vec3 } from '../types/index.d.ts' */

/** How long a button stays pressed, in ticks (minecraft.wiki: Button). */
const PRESSED_TICKS = { wooden: 30, stone: 20 }
const STONE_BUTTON = /^(stone|polished_blackstone)_button$/

/** @param {RegExp} pattern */
const named = (pattern) => Object.keys(registry.blocksByName).filter((name) => pattern.test(name))

/** @param {Server} serv */
export function server(serv) {
  /** Pressed buttons, and when they pop out. @type {{position: Vec3, tick: number}[]} */
  let pressed = []

  serv.onUseBlock(named(/(?<!iron)_door$/), (_player, position) => {
    const { open } = propertiesOf(stateAt(serv.overworld, position))
    serv.changeDoor(position, { open: String(open !== 'true') })
    return ring(position, 'wooden_door', open)
  })

  serv.onUseBlock(named(/(?<!iron)_trapdoor$/), (_player, position) => {
    const { open } = propertiesOf(stateAt(serv.overworld, position))
    serv.changeBlock(position, { open: String(open !== 'true') })
    return ring(position, 'wooden_trapdoor', open)
  })

  serv.onUseBlock(named(/_fence_gate$/), (player, position) => {
    const { open, facing } = propertiesOf(stateAt(serv.overworld, position))
    const ahead = lookOf(player)
    const isBehind = open !== 'true' && facing === OPPOSITE[ahead]
    serv.changeBlock(position, {
      open: String(open !== 'true'),
      ...(isBehind ? { facing: ahead } : {})
    })
    return ring(position, 'fence_gate', open)
  })

  serv.onUseBlock(['lever'], (_player, position) => {
    const { powered } = propertiesOf(stateAt(serv.overworld, position))
    serv.changeBlock(position, { powered: String(powered !== 'true') })
    serv.playSound('block.lever.click', position, { volume: 0.3 })
    return true
  })

  serv.onUseBlock(named(/_button$/), (_player, position) => {
    if (propertiesOf(stateAt(serv.overworld, position)).powered === 'true') return true
    const isStone = STONE_BUTTON.test(blockAt(serv, position).name)
    const ticks = isStone ? PRESSED_TICKS.stone : PRESSED_TICKS.wooden
    serv.changeBlock(position, { powered: 'true' })
    pressed.push({ position, tick: serv.tickCount + ticks })
    return true
  })

  serv.on('tick', () => {
    if (!pressed.length) return
    const due = pressed.filter(({ tick }) => tick <= serv.tickCount)
    if (!due.length) return
    pressed = pressed.filter(({ tick }) => tick > serv.tickCount)
    for (const { position } of due) {
      if (/_button$/.test(blockAt(serv, position).name))
        serv.changeBlock(position, { powered: 'false' })
    }
  })

  serv.changeBlock = (position, changes) => {
    const state = stateAt(serv.overworld, position)
    const block = registry.blocksByStateId[state]
    serv.setBlock(position, stateLike(block, { ...propertiesOf(state), ...changes }))
  }

  serv.changeDoor = (position, changes) => {
    const { name } = blockAt(serv, position)
    const { half } = propertiesOf(stateAt(serv.overworld, position))
    const other = position.offset(0, half === 'lower' ? 1 : -1, 0)
    serv.changeBlock(position, changes)
    if (blockAt(serv, other).name === name) serv.changeBlock(other, changes)
  }

  /**
   * @param {Vec3} position @param {string} what
   * @param {string} before value of `open` before the click
   */
  function ring(position, what, before) {
    serv.playSound(`block.${what}.${before === 'true' ? 'close' : 'open'}`, position)
    return true
  }
}

/** @param {Player} player @returns {string} the direction in which it looks */
const lookOf = ({ yaw }) => HORIZONTAL[Math.floor((((yaw % 360) + 360) % 360) / 90 + 0.5) & 3]
