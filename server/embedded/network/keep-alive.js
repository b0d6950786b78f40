/**
 * Keep-alive: each client is asked every few seconds whether it is still there, and one that has not
 * answered for half a minute goes.
 *
 * Counted are the times that the server has asked, not how much time has passed: while the server itself
 * is held up, it asks nobody, and nobody is kicked for answers that wait to be read.
 */
import { getSpeed, wall } from '@voxpolis/clock'

/** @import { Player } from '../types/index.d.ts' */

/** Of the wall's clock. */
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

/** With somebody who is asked again and again. */
export class Patience {
  /** @param {number} most questions that one may leave unanswered */
  constructor(most) {
    this.most = most
    this.unanswered = 0
  }

  /** Counts one more question. @returns {boolean} whether too many have gone unanswered before it */
  ends() {
    this.unanswered += 1
    return this.unanswered > this.most
  }

  /** It has answered. */
  renew() {
    this.unanswered = 0
  }
}
