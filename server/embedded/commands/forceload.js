import { CommandError, said, told } from './replies.js'

/** @import { Server } from '../types.d.ts' */
/** @import { Reader } from './reader.js' */

/** As in vanilla. */
const MOST_COLUMNS = 256
const KEY = 'commands.forceload'
const WORLD = 'minecraft:overworld'

/** Which columns were asked for, such as `3,-1`. @type {WeakMap<Server, Set<string>>} */
const forced = new WeakMap()

/** @param {Server} serv */
const forcedOf = (serv) => forced.get(serv) ?? new Set()

/**
 * Columns stay loaded here anyway; the command exists so that what a scenario sends to Paper is
 * answered alike.
 * @type {import('./index.js').Command}
 */
export const command = {
  names: ['forceload'],
  run: ({ serv, args }) => {
    const action = args.oneOf(['add', 'remove', 'query'])
    if (action === 'query') return query(serv, args)
    if (action === 'remove' && args.peek() === 'all') {
      args.word()
      args.end()
      forced.delete(serv)
      return said(`${KEY}.removed.all`, WORLD).worth(0)
    }
    const [low, high] = box(args)
    const size = (high[0] - low[0] + 1) * (high[1] - low[1] + 1)
    if (size > MOST_COLUMNS) throw new CommandError(`${KEY}.toobig`, MOST_COLUMNS, size)
    const all = forcedOf(serv)
    for (let x = low[0]; x <= high[0]; x++) {
      for (let z = low[1]; z <= high[1]; z++) {
        serv.columnAt(x, z)
        if (action === 'add') all.add(`${x},${z}`)
        else all.delete(`${x},${z}`)
      }
    }
    forced.set(serv, all)
    const key = `${KEY}.${action === 'add' ? 'added' : 'removed'}`
    if (size === 1) return said(`${key}.single`, named(low), WORLD)
    return said(`${key}.multiple`, size, WORLD, named(low), named(high)).worth(size)
  }
}

/** @param {number[]} column */
const named = ([x, z]) => `[${x}, ${z}]`

/** The first and the last of the columns that are meant. @param {Reader} args @returns {[low: number[], high: number[]]} */
function box(args) {
  const from = [args.integer(), args.integer()]
  const to = args.done ? from : [args.integer(), args.integer()]
  args.end()
  const both = (/** @type {(a: number, b: number) => number} */ choose) =>
    from.map((at, axis) => choose(at, to[axis]) >> 4)
  return [both(Math.min), both(Math.max)]
}

/** @param {Server} serv @param {Reader} args */
function query(serv, args) {
  const all = [...forcedOf(serv)]
  if (!args.done) {
    const [column] = box(args)
    if (!all.includes(column.join()))
      throw new CommandError(`${KEY}.query.failure`, named(column), WORLD)
    return told(`${KEY}.query.success`, named(column), WORLD)
  }
  if (!all.length) throw new CommandError(`${KEY}.added.none`, WORLD)
  const names = all.map((id) => named(id.split(',').map(Number))).join(', ')
  if (all.length === 1) return told(`${KEY}.list.single`, WORLD, names)
  return told(`${KEY}.list.multiple`, all.length, WORLD, names).worth(all.length)
}
