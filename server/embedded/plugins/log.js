/** Log: one plain line an event on standard output, which `python -m server logs` shows. */

/** @param {any} serv */
export function server(serv) {
  const line = (/** @type {string} */ level) => (/** @type {any} */ message) =>
    console.log(`${new Date().toISOString()} ${level} ${message?.stack ?? message}`)
  serv.log = line('INFO')
  serv.info = line('INFO')
  serv.warn = line('WARN')
  serv.err = line('ERROR')
  serv.createLog = () => {}
  serv.on('error', serv.err)
  serv.on('clientError', (/** @type {any} */ client, /** @type {Error} */ error) => {
    serv.warn(`client ${client.username ?? client.socket?.remoteAddress}: ${error.message}`)
  })
}

/** @param {any} player @param {any} serv */
export function player(player, serv) {
  player.on('connected', () => serv.info(`${player.username} joined`))
  player.on('disconnected', () => serv.info(`${player.username} left`))
  player.on('chat', (/** @type {{message: string}} */ { message }) =>
    serv.info(`<${player.username}> ${message}`)
  )
}
