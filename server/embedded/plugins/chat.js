/** Chat: what players say, and what the server tells them, written once for all who hear it. */
import { nbt } from '../minecraft.js'

/** @import { Player, Server } from '../types.d.ts' */

const LONGEST_MESSAGE = 256

/** @param {string} text a text component as the protocol has it */
export const component = (text) => nbt.comp({ text: nbt.string(text) })

/** @param {Server} serv */
export function server(serv) {
  serv.broadcast = (text, { to = serv.players, actionBar = false } = {}) =>
    serv.send(to, 'system_chat', {
      content: component(text),
      isActionBar: actionBar
    })
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.system = (text) => serv.broadcast(text, { to: [player] })

  player._client.on('chat_message', ({ message }) => {
    const said = message.slice(0, LONGEST_MESSAGE)
    player.emit('chat', { message: said })
    serv.broadcast(`<${player.username}> ${said}`)
  })
  player._client.on('chat_command', ({ command }) => player.handleCommand(command))
}
