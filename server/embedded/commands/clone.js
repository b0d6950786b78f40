import { Vec3 } from '../minecraft.js'
import { stateAt } from '../plugins/blocks.js'
import { change } from './fill.js'
import { CommandError, said } from './replies.js'

/** @import { Server } from '../types.d.ts' */

const MAX_BLOCKS = 32_768
const AXES = /** @type {const} */ (['x', 'y', 'z'])
const MASKS = ['replace', 'masked']
const MODES = ['normal', 'force', 'move']

/** @type {import('./index.js').Command} */
export const command = {
  names: ['clone'],
  run: ({ serv, args }) => {
    const [a, b, to] = [args.blockPosition(), args.blockPosition(), args.blockPosition()]
    const mask = args.done ? 'replace' : args.oneOf(MASKS)
    const mode = args.done ? 'normal' : args.oneOf(MODES)
    args.end()
    const [low, high] = [a.min(b), a.max(b)]
    const size = high.minus(low)
    const volume = (size.x + 1) * (size.y + 1) * (size.z + 1)
    if (volume > MAX_BLOCKS) {
      throw new CommandError('commands.clone.toobig', MAX_BLOCKS, volume)
    }
    const end = to.plus(size)
    const overlaps = AXES.every((axis) => to[axis] <= high[axis] && end[axis] >= low[axis])
    if (overlaps && mode === 'normal') {
      throw new CommandError('commands.clone.overlap')
    }
    serv.loadBox(low, high)
    serv.loadBox(to, end)
    const copied = [...blocksIn(serv, low, high)].filter(({ state }) => state || mask === 'replace')
    if (mode === 'move') for (const { position } of copied) change(serv, position, 0, false)
    const changed = copied.filter(({ position, state }) => {
      const target = position.minus(low).plus(to)
      if (stateAt(serv.overworld, target) === state) return false
      change(serv, target, state, false)
      return true
    })
    if (!changed.length) throw new CommandError('commands.clone.failed')
    return said('commands.clone.success', changed.length).worth(changed.length)
  }
}

/** @param {Server} serv @param {Vec3} low @param {Vec3} high */
function* blocksIn(serv, low, high) {
  for (let y = low.y; y <= high.y; y++) {
    for (let z = low.z; z <= high.z; z++) {
      for (let x = low.x; x <= high.x; x++) {
        const position = new Vec3(x, y, z)
        yield { position, state: stateAt(serv.overworld, position) }
      }
    }
  }
}
