import { listed, nameOfPlayer } from '../texts.js'
import { told } from './replies.js'

/** @type {import('./index.js').Command} */
export const command = {
  names: ['list'],
  isForAll: true,
  run: ({ serv, args }) => {
    args.end()
    const { length } = serv.players
    const names = listed(serv.players.map(nameOfPlayer))
    return told('commands.list.players', length, serv._server.maxPlayers, names).worth(length)
  }
}
