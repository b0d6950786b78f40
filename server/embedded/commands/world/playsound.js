import { registry } from '../../minecraft/index.js'
import { oneOrMany, translated } from '../../minecraft/texts.js'
import { CommandError, Reply } from '../replies.js'

/** In the order of the protocol. */
const SOURCES = [
  ...['master', 'music', 'record', 'weather', 'block'],
  ...['hostile', 'neutral', 'player', 'ambient', 'voice']
]
const HEARD_WITHIN = 16
const FIXED_POINT = 8 // positions are sent in eighths of a block

/** @type {import('../index.js').Command} */
export const command = {
  names: ['playsound'],
  run: ({ serv, args }) => {
    const name = args.identifier()
    const soundCategory = args.oneOf(SOURCES)
    const targets = args.players()
    const at = args.done ? args.origin() : args.position()
    const volume = args.done ? 1 : args.float({ min: 0 })
    const pitch = args.done ? 1 : args.float({ min: 0, max: 2 })
    const least = args.done ? 0 : args.float({ min: 0, max: 1 })
    args.end()
    const range = volume > 1 ? HEARD_WITHIN * volume : HEARD_WITHIN
    const isNear = (/** @type {typeof targets[0]} */ { position }) =>
      position.distanceTo(at) <= range
    const heard = targets.filter((player) => isNear(player) || least > 0)
    if (!heard.length) throw new CommandError('commands.playsound.failed')
    // Clients cannot play sounds that they do not know, and the library cannot write an unknown
    // sound's name.
    const sound = registry.soundsByName[name.replace('minecraft:', '')]
    for (const player of sound ? heard : []) {
      const away = at.minus(player.position)
      const place = isNear(player) ? at : player.position.plus(away.scaled(2 / away.norm()))
      const { x, y, z } = place.scaled(FIXED_POINT).floored()
      serv.send([player], 'sound_effect', {
        sound: { soundId: sound.id },
        soundCategory,
        ...{ x, y, z },
        volume: isNear(player) ? volume : least,
        pitch,
        seed: 0n
      })
    }
    const values = { before: [name] }
    return new Reply(oneOrMany('commands.playsound.success', heard, values)).worth(heard.length)
  }
}

//

/** Flags of the optional parts of the packet. */
const HAS = { source: 1, sound: 2 }

/** @type {import('../index.js').Command} */
export const stopsound = {
  names: ['stopsound'],
  run: ({ serv, args }) => {
    const players = args.players()
    const named = args.done ? '*' : args.oneOf(['*', ...SOURCES])
    const source = named === '*' ? null : named
    const sound = args.done ? null : args.identifier()
    args.end()
    serv.send(players, 'stop_sound', {
      flags: (source ? HAS.source : 0) | (sound ? HAS.sound : 0),
      source: source ? SOURCES.indexOf(source) : undefined,
      sound: sound ?? undefined
    })
    const key = `commands.stopsound.success.source${source ? '' : 'less'}.${sound ? 'sound' : 'any'}`
    const values = [sound, source].filter((value) => value !== null)
    return new Reply(translated(key, ...values)).worth(players.length)
  }
}
