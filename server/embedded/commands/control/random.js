import { nameOfEntity, translated } from '../../minecraft/texts.js'
import { CommandError, Reply, said } from '../replies.js'

/** @import { Reader } from '../arguments/reader.js' */

const RANGE = { least: -(2 ** 31), most: 2 ** 31 - 1, longest: 2 ** 31 - 2 }

/**
 * Draw random numbers, which the sender or (with `roll`) all players see, and reset random
 * sequences, as in vanilla since 1.20.2. Each loot table has a sequence, such as
 * `minecraft:blocks/gravel`.
 * @type {import('../index.js').Command}
 */
export const command = {
  names: ['random'],
  run: ({ serv, source, args }) => {
    const what = args.oneOf(['reset', 'value', 'roll'])
    if (what !== 'reset') {
      const [least, most] = readRange(args)
      const draw = args.done ? serv.random : serv.randomSequence(args.identifier())
      args.end()
      const value = least + Math.floor(draw() * (most - least + 1))
      if (what === 'value') {
        const text = translated('commands.random.sample.success', value)
        return new Reply(text, { isPrivate: true, result: value })
      }
      const who = source.entity ? nameOfEntity(source.entity) : source.title
      serv.broadcast(translated('commands.random.roll', who, value, least, most))
      return null
    }
    const name = args.identifier()
    const seed = args.done ? undefined : args.integer()
    args.end()
    if (name === '*')
      return said('commands.random.reset.all.success', serv.resetRandomSequences(seed))
    serv.resetRandomSequence(name, seed)
    return said('commands.random.reset.success', name)
  }
}

/** @param {Reader} args @returns {[least: number, most: number]} */
function readRange(args) {
  const word = args.word()
  const parts = word.match(/^(-?\d+)?(\.\.)?(-?\d+)?$/)
  if (!parts || (!parts[1] && !parts[3])) throw args.error('argument.range.empty')
  const least = Number(parts[1] ?? RANGE.least)
  const most = Number(parts[2] ? (parts[3] ?? RANGE.most) : (parts[1] ?? parts[3]))
  if (least > most) throw args.error('argument.range.swapped')
  if (most - least < 1) throw new CommandError('commands.random.error.range_too_small')
  if (most - least > RANGE.longest) throw new CommandError('commands.random.error.range_too_large')
  return [least, most]
}
