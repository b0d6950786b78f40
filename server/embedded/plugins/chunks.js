/**
 * Chunks: what was built stays built, and containers show in clients.
 *
 * Upstream forgets a column when the last player leaves it. Without a world folder the column
 * would come back as generated, and an arena would vanish between two runs.
 */
import { blockEntitiesIn } from './containers.js'

/** @param {any} serv */
export function server(serv) {
  serv.once('asap', () => {
    serv.overworld.unloadColumn = () => {}
  })
}

/** @param {any} player @param {any} serv */
export function player(player, serv) {
  const write = player._client.write.bind(player._client)
  player._client.write = (/** @type {string} */ name, /** @type {any} */ fields) => {
    if (name === 'map_chunk') {
      fields = { ...fields, blockEntities: blockEntitiesIn(serv, fields.x, fields.z) }
    }
    return write(name, fields)
  }
}
