/** Storage: named compounds for commands, such as `town:laws`, that belong to no block or entity. */

/** @import { Server } from '../types/index.d.ts' */

/** @param {Server} serv */
export function server(serv) {
  serv.storage = new Map()
}
