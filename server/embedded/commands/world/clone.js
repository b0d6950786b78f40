import { Vec3 } from '../../minecraft/index.js'
import { stateAt } from '../../blocks/blocks.js'
import { mayHoldBlocks, NETHER, NETHER_X, shown } from '../../world/dimensions.js'
import { change } from './fill.js'
import { CommandError, said } from '../replies.js'

/** @import { Server } from '../../types/index.d.ts' */
/** @import { Reader } from '../arguments/reader.js' */

const MAX_BLOCKS = 32_768
const AXES = /** @type {const} */ (['x', 'y', 'z'])
const MASKS = ['filtered', 'masked', 'replace']
const MODES = ['normal', 'force', 'move']

/** @type {import('../index.js').Command} */
export const command = {
  names: ['clone'],
  run: ({ serv, args }) => {
    const [a, b] = inDimension(args, 'from', () => [args.blockPosition(), args.blockPosition()])
    const to = inDimension(args, 'to', () => args.blockPosition())
    const mask = args.done ? 'replace' : args.oneOf(MASKS)
    const isMeant = mask === 'filtered' ? args.blockTest() : null
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
    if (!mayHoldBlocks(end)) throw new CommandError('argument.pos.outofworld')
    serv.loadBox(low, high)
    serv.loadBox(to, end)
    const copied = [...blocksIn(serv, low, high)].filter(({ position, state }) =>
      isMeant ? isMeant(position) : state || mask === 'replace'
    )
    if (!copied.length) throw new CommandError('commands.clone.failed')
    if (mode === 'move') for (const { position } of copied) change(serv, position, 0, false)
    for (const { position, state, tag } of copied) {
      const target = position.minus(low).plus(to)
      change(serv, target, state, false)
      if (tag) serv.writeBlock(target, tag)
    }
    return said('commands.clone.success', copied.length).worth(copied.length)
  }
}

/**
 * Read positions, in another dimension if the command names one: `from minecraft:the_nether`.
 * @template Read @param {Reader} args @param {'from' | 'to'} word @param {() => Read} read
 * @returns {Read}
 */
function inDimension(args, word, read) {
  if (args.peek() !== word) return read()
  args.word()
  const place = shown(args.origin())
  return args.from(place.offset(args.dimension() === NETHER ? NETHER_X : 0, 0, 0), read)
}

/** Yield blocks with their data. @param {Server} serv @param {Vec3} low @param {Vec3} high */
function* blocksIn(serv, low, high) {
  for (let y = low.y; y <= high.y; y++) {
    for (let z = low.z; z <= high.z; z++) {
      for (let x = low.x; x <= high.x; x++) {
        const position = new Vec3(x, y, z)
        yield { position, state: stateAt(serv.overworld, position), tag: serv.blockTag(position) }
      }
    }
  }
}
