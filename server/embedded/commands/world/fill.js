import { Vec3 } from '../../minecraft/index.js'
import { lootAt } from '../../blocks/loot.js'
import { stateAt } from '../../blocks/blocks.js'
import { shown } from '../../world/dimensions.js'
import { CommandError, said } from '../replies.js'

/** @import { Server } from '../../types/index.d.ts' */

const MAX_BLOCKS = 32_768
const MODES = ['destroy', 'hollow', 'keep', 'outline', 'replace']

/** @type {import('../index.js').Command} */
export const command = {
  names: ['fill'],
  run: ({ serv, args }) => {
    const [a, b] = [args.blockPosition(), args.blockPosition()]
    const { state, data } = args.block()
    const mode = args.done ? 'replace' : args.oneOf(MODES)
    const filter = mode === 'replace' && !args.done ? args.blockTest() : null
    args.end()
    const [low, high] = [a.min(b), a.max(b)]
    const volume = (high.x - low.x + 1) * (high.y - low.y + 1) * (high.z - low.z + 1)
    if (volume > MAX_BLOCKS) {
      throw new CommandError('commands.fill.toobig', MAX_BLOCKS, volume)
    }
    serv.loadBox(low, high)
    const changes = [...planned(serv, low, high, { state, mode, filter })]
    if (!changes.length) throw new CommandError('commands.fill.failed')
    for (const { position, state: after } of changes) {
      change(serv, position, after, mode === 'destroy')
      if (data && after === state) serv.setBlockData(position, data)
    }
    return said('commands.fill.success', changes.length).worth(changes.length)
  }
}

/**
 * @param {Server} serv @param {Vec3} low @param {Vec3} high
 * @param {{state: number, mode: string, filter: ((position: Vec3) => boolean) | null}} what
 * @returns {Generator<{position: Vec3, state: number}>}
 */
function* planned(serv, low, high, { state, mode, filter }) {
  for (let y = low.y; y <= high.y; y++) {
    for (let z = low.z; z <= high.z; z++) {
      for (let x = low.x; x <= high.x; x++) {
        const position = new Vec3(x, y, z)
        const before = stateAt(serv.overworld, position)
        const shell =
          x === low.x || x === high.x || y === low.y || y === high.y || z === low.z || z === high.z
        const after = shell || mode !== 'hollow' ? state : 0
        if (!shell && mode === 'outline') continue
        if (mode === 'keep' && before !== 0) continue
        if (filter && !filter(position)) continue
        if (before !== after) yield { position, state: after }
      }
    }
  }
}

/**
 * Change a block as commands do: its items disappear unless the block is destroyed, which drops
 * them.
 * @param {Server} serv @param {Vec3} position @param {number} state @param {boolean} isDestroyed
 */
export function change(serv, position, state, isDestroyed) {
  const before = stateAt(serv.overworld, position)
  if (isDestroyed) {
    const loot = serv.gamerules.doTileDrops ? lootAt(serv, position, before) : []
    for (const item of loot) serv.dropItem(item, position.offset(0.5, 0.25, 0.5))
  } else {
    serv.emptyContainer(position)
  }
  serv.setBlock(position, state)
}

/** @type {import('../index.js').Command} */
export const setblock = {
  names: ['setblock'],
  run: ({ serv, args }) => {
    const position = args.blockPosition()
    const { state, data } = args.block()
    const mode = args.done ? 'replace' : args.oneOf(['destroy', 'keep', 'replace'])
    args.end()
    serv.loadBox(position, position)
    const before = stateAt(serv.overworld, position)
    const isKept = mode === 'keep' && before !== 0
    if (before === state && !isKept) serv.emptyContainer(position)
    if ((before === state && !data) || isKept) throw new CommandError('commands.setblock.failed')
    change(serv, position, state, mode === 'destroy')
    if (data) serv.writeBlock(position, data)
    return said('commands.setblock.success', ...shown(position).toArray())
  }
}
