/**
 * Keep-alives: a bot answers the server's, and leaves a server that has none for long.
 *
 * Counted are looks, not how much time has passed: where its process was held up, what the server has sent
 * meanwhile is read before the bot gives it up.
 */

/** How often a bot looks within that time. */
const LOOKS = 6

/**
 * @param {Pick<import('minecraft-protocol').Client, 'on' | 'emit' | 'write' | 'end'>} client
 * @param {number} silenceMs how long a server may send none
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

  client.on('keep_alive', ({ keepAliveId }) => {
    looks = 0
    timer ??= setInterval(look, silenceMs / LOOKS)
    client.write('keep_alive', { keepAliveId })
  })
  client.on('end', stop)
}
