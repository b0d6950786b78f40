import { nameOfPlayer, translated } from '../../minecraft/texts.js'
import { CommandError, said } from '../replies.js'

/** @param {boolean} wanted @param {'op' | 'deop'} name @returns {import('../index.js').Command} */
function operatorCommand(wanted, name) {
  return {
    names: [name],
    run: ({ args }) => {
      const players = args.players()
      args.end()
      const changed = players.filter((player) => player.op !== wanted)
      if (!changed.length) throw new CommandError(`commands.${name}.failed`)
      return changed.map((player) => {
        player.setOperator(wanted)
        return said(`commands.${name}.success`, nameOfPlayer(player))
      })
    }
  }
}

export const op = operatorCommand(true, 'op')
export const command = operatorCommand(false, 'deop')

/** @type {import('../index.js').Command} */
export const kick = {
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
