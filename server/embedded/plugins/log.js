/** Log: one plain line an event on standard output, which `python -m server logs` shows. */

/** @import { Player, Server } from '../types.d.ts' */

/** @param {Server} serv */
export function server(serv) {
  const line = (/** @type {string} */ level) => (/** @type {unknown} */ message) => {
    const text = (message instanceof Error && message.stack) || message
    console.log(`${new Date().toISOString()} ${level} ${text}`)
  }
  serv.info = line('INFO')
  serv.warn = line('WARN')
  serv.err = line('ERROR')
  serv.createLog = () => {}
  serv.on('error', serv.err)
  serv.on('clientError', (client, error) => {
    serv.warn(`client ${client.username ?? client.socket?.remoteAddress}: ${error.message}`)
  })
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.on('connected', () => serv.info(`${player.username} joined`))
  player.on('disconnected', () => serv.info(`${player.username} left`))
  player.on('chat', ({ message }) => serv.info(`<${player.username}> ${message}`))
}
