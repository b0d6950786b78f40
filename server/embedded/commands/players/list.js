import { listed, nameOfPlayer, translated } from '../../minecraft/texts.js'
import { told } from '../replies.js'

/** @type {import('../index.js').Command} */
export const command = {
  names: ['list'],
  isForAll: true,
  run: ({ serv, args }) => {
    const isWithIds = !args.done && Boolean(args.oneOf(['uuids']))
    args.end()
    const { length } = serv.players
    const names = listed(
      serv.players.map((player) =>
        isWithIds
          ? translated('commands.list.nameAndId', nameOfPlayer(player), player.uuid)
          : nameOfPlayer(player)
      )
    )
    return told('commands.list.players', length, serv._server.maxPlayers, names).worth(length)
  }
}
