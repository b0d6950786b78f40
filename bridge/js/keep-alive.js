/**
 * Keep-alives: a bot answers the server's, and leaves a server that has sent none for too long.
 *
 * The timeout counts checks, not elapsed time: after a stall of the process, waiting packets are
 * read before the next check.
 */

/** Number of checks within the timeout. */
const LOOKS = 6

/**
 * @param {any} client of minecraft-protocol, whose types know no 'login'
 * @param {number} silenceMs timeout without a keep-alive
 */
export function keepAlive(client, silenceMs) {
  /** @type {NodeJS.Timeout | null} */
  let timer = null
  let looks = 0
  const look = () => {
    looks += 1
    if (looks <= LOOKS) return
    stop()
    client.emit('error', new Error(`client timed out after ${silenceMs} milliseconds`))
    client.end('keepAliveError')
  }
  const stop = () => void (timer && clearInterval(timer))

  // The server may hang before it has sent its first keep-alive.
  client.on('login', () => (timer ??= setInterval(look, silenceMs / LOOKS)))
  client.on('keep_alive', (/** @type {{keepAliveId: bigint}} */ { keepAliveId }) => {
    looks = 0
    client.write('keep_alive', { keepAliveId })
  })
  client.on('end', stop)
}
