import { dimensionAt, shown } from '../../world/dimensions.js'
import { CommandError, said, told } from '../replies.js'

/** @import { Server } from '../../types/index.d.ts' */
/** @import { Reader } from '../arguments/reader.js' */

/** As in vanilla. */
const MOST_COLUMNS = 256
const KEY = 'commands.forceload'

/**
 * Return the force-loaded columns of the command's dimension.
 * @param {Server} serv @param {Reader} args
 */
const forcedIn = (serv, args) => {
  const world = worldOf(args)
  const names = [...serv.forced].map((id) => id.split(',').map(Number))
  return names.filter(([x]) => dimensionAt({ x: x << 4, y: 0, z: 0 }) === world)
}

/** @param {Reader} args */
const worldOf = (args) => dimensionAt(args.origin())

/**
 * On this server, columns always stay loaded. The command exists so that scenarios for Paper get
 * the same replies.
 * @type {import('../index.js').Command}
 */
export const command = {
  names: ['forceload'],
  run: ({ serv, args }) => {
    const action = args.oneOf(['add', 'remove', 'query'])
    if (action === 'query') return query(serv, args)
    if (action === 'remove' && args.peek() === 'all') {
      args.word()
      args.end()
      for (const column of forcedIn(serv, args)) serv.forced.delete(column.join())
      return said(`${KEY}.removed.all`, worldOf(args)).worth(0)
    }
    const [low, high] = box(args)
    const size = (high[0] - low[0] + 1) * (high[1] - low[1] + 1)
    if (size > MOST_COLUMNS) throw new CommandError(`${KEY}.toobig`, MOST_COLUMNS, size)
    for (let x = low[0]; x <= high[0]; x++) {
      for (let z = low[1]; z <= high[1]; z++) {
        if (action === 'add') serv.columnAt(x, z)
        serv.forced[action === 'add' ? 'add' : 'delete'](`${x},${z}`)
      }
    }
    const world = worldOf(args)
    const key = `${KEY}.${action === 'add' ? 'added' : 'removed'}`
    if (size === 1) return said(`${key}.single`, named(low), world)
    return said(`${key}.multiple`, size, world, named(low), named(high)).worth(size)
  }
}

/** Format a column in its dimension's coordinates. @param {number[]} column */
const named = ([x, z]) => `[${shown({ x: x << 4, y: 0, z: 0 }).x >> 4}, ${z}]`

/**
 * Return the corners of the given range of columns.
 * @param {Reader} args @returns {[low: number[], high: number[]]}
 */
function box(args) {
  const from = args.columnPosition()
  const to = args.done ? from : args.columnPosition()
  args.end()
  const both = (/** @type {(a: number, b: number) => number} */ choose) =>
    from.map((at, axis) => choose(at, to[axis]) >> 4)
  return [both(Math.min), both(Math.max)]
}

/** @param {Server} serv @param {Reader} args */
function query(serv, args) {
  const world = worldOf(args)
  if (!args.done) {
    const [column] = box(args)
    if (!serv.forced.has(column.join()))
      throw new CommandError(`${KEY}.query.failure`, named(column), world)
    return told(`${KEY}.query.success`, named(column), world)
  }
  const all = forcedIn(serv, args)
  if (!all.length) throw new CommandError(`${KEY}.added.none`, world)
  const names = all.map(named).join(', ')
  if (all.length === 1) return told(`${KEY}.list.single`, world, names)
  return told(`${KEY}.list.multiple`, all.length, world, names).worth(all.length)
}
