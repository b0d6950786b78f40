import { registry } from '../../minecraft/index.js'
import { oneOrMany, translated } from '../../minecraft/texts.js'
import { CommandError, Reply } from '../replies.js'

/** @import { EffectKind } from '../../types/index.d.ts' */

const TICKS_PER_SECOND = 20
const DEFAULT_SECONDS = 30
const INFINITE = -1

/** @type {Map<string, EffectKind>} vanilla's names → minecraft-data's effects */
const EFFECTS = new Map(
  registry.effectsArray.map((effect) => [
    effect.name.replace(/(?<!^)([A-Z])/g, '_$1').toLowerCase(),
    effect
  ])
)

/** @type {import('../index.js').Command} */
export const command = {
  names: ['effect'],
  run: ({ args }) => {
    if (args.oneOf(['give', 'clear']) === 'clear') return clear(args)
    const players = args.players({ mayBeOthers: true })
    const { effect, title } = readEffect(args)
    const ticks = args.done ? DEFAULT_SECONDS * TICKS_PER_SECOND : duration(args)
    const amplifier = args.done ? 0 : args.integer({ min: 0, max: 255 })
    if (!args.done) args.boolean()
    args.end()
    for (const player of players) player.giveEffect(effect.id, ticks, amplifier)
    const values = { before: [title] }
    return new Reply(oneOrMany('commands.effect.give.success', players, values))
  }
}

/** @param {import('../arguments/reader.js').Reader} args */
function duration(args) {
  if (args.peek() !== 'infinite') return args.integer({ min: 1, max: 1e6 }) * TICKS_PER_SECOND
  args.word()
  return INFINITE
}

/** @param {import('../arguments/reader.js').Reader} args */
function clear(args) {
  const players = args.playersOrSelf({ mayBeOthers: true })
  const wanted = args.done ? null : readEffect(args)
  args.end()
  let removed = 0
  for (const player of players) {
    for (const id of [...player.activeEffects.keys()]) {
      if (wanted && wanted.effect.id !== id) continue
      player.endEffect(id)
      removed += 1
    }
  }
  const key = `commands.effect.clear.${wanted ? 'specific' : 'everything'}`
  if (!removed) throw new CommandError(`${key}.failed`)
  return new Reply(oneOrMany(`${key}.success`, players, { before: wanted ? [wanted.title] : [] }))
}

/** @param {import('../arguments/reader.js').Reader} args */
function readEffect(args) {
  const name = args.word().replace('minecraft:', '')
  const effect = EFFECTS.get(name)
  const id = `minecraft:${name}`
  if (!effect) throw args.error('argument.resource.not_found', id, 'minecraft:mob_effect')
  return { effect, title: translated(`effect.minecraft.${name}`) }
}
