/** Chat: what players say, and what the server tells them, written once for all who hear it. */
import { nbt } from '../minecraft.js'

const LONGEST_MESSAGE = 256

/** @param {string} text @returns {any} a text component as the protocol has it */
export const component = (text) => nbt.comp({ text: nbt.string(text) })

/** @param {any} serv */
export function server(serv) {
  /**
   * @param {string} text
   * @param {{to?: any[], system?: boolean, actionBar?: boolean}} [options]
   */
  serv.broadcast = (text, { to = serv.players, actionBar = false } = {}) =>
    serv.send(to, 'system_chat', {
      content: component(text),
      isActionBar: actionBar
    })
}

/** @param {any} player @param {any} serv */
export function player(player, serv) {
  player.system = (/** @type {string} */ text) => serv.broadcast(text, { to: [player] })

  player._client.on('chat_message', (/** @type {{message: string}} */ { message }) => {
    const said = message.slice(0, LONGEST_MESSAGE)
    player.emit('chat', { message: said })
    serv.broadcast(`<${player.username}> ${said}`)
  })
  player._client.on('chat_command', (/** @type {{command: string}} */ { command }) =>
    player.handleCommand(command)
  )
}
