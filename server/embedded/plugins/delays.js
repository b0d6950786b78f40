/**
 * Delays: how long clients take to answer, which says whether their machine keeps up.
 *
 * Every second of game time each client is asked for a sign of life, as vanilla can; the next time
 * only when it has answered. What it waited for is summed up: somebody who is held up for a third of
 * the time answers, on average, a third of a second late.
 */

/** @import { Player, Server } from '../types.d.ts' */

const ASK_TICKS = 20
const KEPT_ANSWERS = 3600

/** @param {Server} serv */
export function server(serv) {
  serv.on('tick', () => {
    if (serv.tickCount % ASK_TICKS !== 0) return
    for (const player of serv.players) if (player.spawned) player.askForSign()
  })

  serv.clientDelay = (ticks) => {
    const since = serv.tickCount - ticks
    const shares = serv.players.map((player) => player.delaySince(since) / (ticks * 50))
    return shares.length ? Math.min(1, ...shares) : 0
  }

  serv.tickDelay = (ticks) => {
    const delays = serv.lastTicks(serv.tickDelays, ticks)
    let sum = 0
    for (let from = 0; from < delays.length; from += ASK_TICKS) {
      sum += Math.max(...delays.slice(from, from + ASK_TICKS))
    }
    return delays.length ? Math.min(1, sum / (delays.length * 50)) : 0
  }
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  /** @type {{tick: number, delay: number}[]} */
  const answers = []
  /** @type {{tick: number, at: number} | null} */
  let asked = null

  player.askForSign = () => {
    if (asked) return
    asked = { tick: serv.tickCount, at: Date.now() }
    player._client.write('ping', { id: serv.tickCount })
  }
  player._client.on('pong', () => {
    if (!asked) return
    answers.push({ tick: asked.tick, delay: Date.now() - asked.at })
    player.heardTick = asked.tick
    player.emit('answered')
    if (answers.length > KEPT_ANSWERS) answers.shift()
    asked = null
  })

  player.delaySince = (tick) => {
    const late = asked
      ? Date.now() - Math.max(asked.at, Date.now() - (serv.tickCount - tick) * 50)
      : 0
    return answers.reduce((sum, answer) => sum + (answer.tick >= tick ? answer.delay : 0), late)
  }
}
