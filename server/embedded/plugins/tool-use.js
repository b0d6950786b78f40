/** Tools on blocks: hoes till, shovels make paths, axes strip. */
import { registry } from '../minecraft.js'
import { blockAt, isSolid, propertiesOf, stateAt, stateLike } from './blocks.js'

/** @import { Item, Player, Server, Vec3 } from '../types.d.ts' */

/** @param {Server} serv @param {Player} player @param {Item} tool in its hand @param {Vec3} position @returns {boolean} whether it did */
export function useTool(serv, player, tool, position) {
  const { name: block } = blockAt(serv, position)
  const isOpen = !isSolid(serv, position.offset(0, 1, 0))
  const into = madeBy(tool.name, block, isOpen)
  if (!into || block.startsWith('stripped_')) return false
  const { axis } = propertiesOf(stateAt(serv.overworld, position))
  const kind = registry.blocksByName[into]
  serv.setBlock(position, axis ? stateLike(kind, { axis }) : kind.defaultState)
  player.wearTool(1)
  return true
}

/** What a tool makes of a block, or null. @param {string} tool @param {string} block @param {boolean} isOpen above */
function madeBy(tool, block, isOpen) {
  if (tool.endsWith('_hoe')) {
    return isOpen && /^(dirt|grass_block|dirt_path)$/.test(block) ? 'farmland' : null
  }
  if (tool.endsWith('_shovel')) {
    return isOpen && /^(dirt|grass_block)$/.test(block) ? 'dirt_path' : null
  }
  const isAxe = tool.endsWith('_axe') && !tool.endsWith('pickaxe')
  return isAxe && /_(log|wood)$/.test(block) ? `stripped_${block}` : null
}
