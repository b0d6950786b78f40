/** Chat: what players say, and what the server tells them, written once for all who hear it. */
import { nameOfPlayer, packed, plain, textOf, translated } from '../texts.js'

/** @import { Player, Server } from '../types.d.ts' */

const LONGEST_MESSAGE = 256

/** @param {Server} serv */
export function server(serv) {
  serv.broadcast = (text, { to = serv.players } = {}) =>
    serv.send(to, 'system_chat', { content: packed(textOf(text)), isActionBar: false })

  serv.showText = (players, packet, text) => serv.send(players, packet, { text: packed(text) })
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.system = (text) => serv.broadcast(text, { to: [player] })

  player.kick = (reason) => player._client.end(plain(reason), packed(reason))

  player._client.on('chat_message', ({ message }) => {
    const said = message.slice(0, LONGEST_MESSAGE)
    player.emit('chat', { message: said })
    serv.broadcast(translated('chat.type.text', nameOfPlayer(player), said))
  })
  player._client.on('chat_command', ({ command }) => player.handleCommand(command))
}
