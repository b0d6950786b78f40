import { registry } from '../minecraft.js'
import { CommandError } from './reader.js'

/** @import { EffectKind, Player } from '../types.d.ts' */

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

/** @type {import('./index.js').Command} */
export const command = {
  names: ['effect'],
  usage:
    'effect give <targets> <effect> [seconds|infinite] [amplifier] [hideParticles] | effect clear <targets> [effect]',
  run: ({ args, source }) => {
    if (args.oneOf(['give', 'clear']) === 'clear') return clear(args, source)
    const players = args.players()
    const effect = readEffect(args)
    const ticks = args.done ? DEFAULT_SECONDS * TICKS_PER_SECOND : duration(args)
    const amplifier = args.done ? 0 : args.integer({ min: 0, max: 255 })
    if (!args.done) args.oneOf(['true', 'false'])
    args.end()
    for (const player of players) player.giveEffect(effect.id, ticks, amplifier)
    return `Applied effect ${effect.displayName} to ${whom(players)}`
  }
}

/** @param {import('./reader.js').Reader} args */
function duration(args) {
  const word = args.word()
  if (word === 'infinite') return INFINITE
  const seconds = Number(word)
  if (!Number.isInteger(seconds) || seconds < 1) throw args.error('Expected integer')
  return seconds * TICKS_PER_SECOND
}

/** @param {import('./reader.js').Reader} args @param {import('./index.js').Source} source */
function clear(args, source) {
  const players = args.done && source.player ? [source.player] : args.players()
  const wanted = args.done ? null : readEffect(args)
  args.end()
  let removed = 0
  for (const player of players) {
    for (const id of [...player.activeEffects.keys()]) {
      if (wanted && wanted.id !== id) continue
      player.endEffect(id)
      removed += 1
    }
  }
  if (!removed) throw new CommandError('Target has no effects to remove')
  const what = wanted ? `effect ${wanted.displayName}` : 'every effect'
  return `Removed ${what} from ${whom(players)}`
}

/** @param {import('./reader.js').Reader} args */
function readEffect(args) {
  const name = args.word().replace('minecraft:', '')
  const effect = EFFECTS.get(name)
  if (!effect) throw args.error(`Unknown effect 'minecraft:${name}'`)
  return effect
}

/** @param {Player[]} players */
const whom = (players) => (players.length === 1 ? players[0].username : `${players.length} targets`)
