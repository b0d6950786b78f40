import { nameOfPlayer, translated } from '../../minecraft/texts.js'
import { said } from '../replies.js'

/** @type {import('../index.js').Command} */
export const command = {
  names: ['kick'],
  run: ({ args }) => {
    const players = args.players()
    const reason = args.done ? translated('multiplayer.disconnect.kicked') : { text: args.rest() }
    args.end()
    return players.map((player) => {
      player.kick(reason)
      return said('commands.kick.success', nameOfPlayer(player), reason)
    })
  }
}
