/** Storage: compounds that commands keep by names, such as `town:laws`, with no place of their own. */

/** @import { Server } from '../types/index.d.ts' */

/** @param {Server} serv */
export function server(serv) {
  serv.storage = new Map()
}
