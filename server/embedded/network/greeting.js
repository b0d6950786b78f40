/**
 * Replies before a client has joined: answers to pings, even without a status request, and refusals
 * of other versions that name the supported version.
 */
import { MINECRAFT_VERSION } from '../minecraft/index.js'

/** @import { Connection, Server } from '../types/index.d.ts' */

const [STATUS, LOGIN] = [1, 2]
/** Clients with a protocol older than this one (1.16.4) are told that their version is "outdated". */
const FIRST_TELLING = 754

/** @param {Server} serv */
export function server(serv) {
  serv._server.on('connection', (client) => {
    answerPings(client)
    refuseOthers(serv, client)
  })
}

/** Answer pings; the library does so only after a status request. @param {Connection} client */
function answerPings(client) {
  let isAsked = false
  client.once('ping_start', () => (isAsked = true))
  client.once('ping', ({ time }) => {
    if (isAsked) return
    client.write('ping', { time })
    client.end('')
  })
}

/**
 * Refuse clients of other versions and with unknown intentions, which the library would leave waiting.
 * @param {Server} serv @param {Connection} client
 */
function refuseOthers(serv, client) {
  checkFirst(client, 'set_protocol', ({ protocolVersion, nextState }) => {
    const isLogin = nextState === LOGIN
    if (nextState === STATUS || (isLogin && protocolVersion === serv._server.mcversion.version))
      return true
    client.removeAllListeners('login_start')
    client.state = 'login'
    const word = protocolVersion < FIRST_TELLING ? 'outdated_client' : 'incompatible'
    // The version is a bare string, which clients of all versions can read.
    const reason = { translate: `multiplayer.disconnect.${word}`, with: [MINECRAFT_VERSION] }
    if (isLogin) client.write('disconnect', { reason: JSON.stringify(reason) })
    client._end?.('another version')
    return false
  })
}

/**
 * Let the library handle a packet only if it passes a check.
 * @param {Connection} client @param {string} name @param {(packet: any) => boolean} isFine
 */
export function checkFirst(client, name, isFine) {
  const listeners = client.listeners(name)
  client.removeAllListeners(name) // in an event of this packet they would be called all the same
  client.once(name, (packet) => {
    if (isFine(packet)) for (const listener of listeners) listener.call(client, packet)
  })
}
