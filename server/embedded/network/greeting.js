/**
 * Replies before a client has joined: answers to pings, even without a status request, and refusals
 * of other versions that name the supported version.
 */
import { MINECRAFT_VERSION } from '../minecraft/index.js'

/** @import { Connection, Server } from '../types/index.d.ts' */

const LOGIN = 2
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
 * Refuse clients of other versions, which the library would leave waiting forever.
 * @param {Server} serv @param {Connection} client
 */
function refuseOthers(serv, client) {
  client.prependOnceListener('set_protocol', ({ protocolVersion, nextState }) => {
    if (nextState !== LOGIN || protocolVersion === serv._server.mcversion.version) return
    client.removeAllListeners('set_protocol')
    client.removeAllListeners('login_start')
    client.state = 'login'
    const word = protocolVersion < FIRST_TELLING ? 'outdated_client' : 'incompatible'
    // The version is a bare string, which clients of all versions can read.
    const reason = { translate: `multiplayer.disconnect.${word}`, with: [MINECRAFT_VERSION] }
    client.write('disconnect', { reason: JSON.stringify(reason) })
    client._end?.('another version')
  })
}
