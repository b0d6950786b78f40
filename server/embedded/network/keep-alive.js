/**
 * Keep-alive: the server asks each client every few seconds, and drops a client that has not
 * answered for half a minute.
 *
 * The timeout counts questions, not elapsed time: a stalled server asks no questions, so it does
 * not kick clients whose answers it has not read yet.
 */
import { getSpeed, wall } from '@voxpolis/clock'

/** @import { Player } from '../types/index.d.ts' */

/** In wall-clock time. */
const ASK_MS = 4000
const PATIENCE_MS = 30_000

/** @param {Player} player */
export function player(player) {
  const client = player._client
  const patience = new Patience(Math.ceil((PATIENCE_MS * getSpeed()) / ASK_MS))
  let asked = 0
  const timer = wall.setInterval(() => {
    if (patience.ends()) {
      wall.clearTimeout(timer)
      return client.end('KeepAliveTimeout')
    }
    client.write('keep_alive', { keepAliveId: ++asked })
  }, ASK_MS)
  client.on('keep_alive', () => patience.renew())
  client.on('end', () => wall.clearTimeout(timer))
}

/** Counter of a client's unanswered questions. */
export class Patience {
  /** @param {number} most maximum number of unanswered questions */
  constructor(most) {
    this.most = most
    this.unanswered = 0
  }

  /** Count a question. @returns {boolean} true if too many earlier questions are unanswered */
  ends() {
    this.unanswered += 1
    return this.unanswered > this.most
  }

  /** Reset after an answer. */
  renew() {
    this.unanswered = 0
  }
}
