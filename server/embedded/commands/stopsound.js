import { translated } from '../texts.js'
import { SOURCES } from './playsound.js'
import { Reply } from './replies.js'

/** Which parts of the packet are there. */
const HAS = { source: 1, sound: 2 }

/** @type {import('./index.js').Command} */
export const command = {
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
