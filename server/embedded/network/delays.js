/**
 * Delays: the time that clients take to answer a ping, which shows whether their machine keeps up.
 *
 * Every second of game time each client is pinged, as vanilla can. Clients that follow the clock
 * are pinged more often (lockstep.js). No client is pinged again before it has answered the last
 * ping. The longest delay in each second counts: a client that is stalled for a third of the time
 * answers, on average, a third of a second late.
 */
import { now } from '@voxpolis/clock'
import { TICK_MS } from '../world/ticks.js'

/** @import { Player, Server } from '../types/index.d.ts' */

const SECOND_TICKS = 20
const KEPT_SECONDS = 3600

/** @param {Server} serv */
export function server(serv) {
  serv.on('tick', () => {
    const signTicks = serv.signTicks()
    for (const player of serv.players) {
      // Staggered: with hundreds of clients, each tick pings some clients from each process.
      const turn = serv.tickCount + player.id
      const isDue = turn % SECOND_TICKS === 0 || (player.follows && turn % signTicks === 0)
      if (player.spawned && isDue) player.askForSign()
    }
  })

  serv.clientDelay = (ticks) => {
    const since = serv.tickCount - ticks
    const shares = serv.players.map((player) => player.delaySince(since) / (ticks * TICK_MS))
    return shares.length ? Math.min(1, ...shares) : 0
  }

  serv.longestDelays = (ticks) => {
    const since = serv.tickCount - ticks
    return {
      server: Math.max(0, ...serv.lastTicks(serv.tickDelays, ticks)),
      clients: Math.max(0, ...serv.players.map((player) => player.longestDelay(since)))
    }
  }

  serv.tickDelay = (ticks) => {
    const delays = serv.lastTicks(serv.tickDelays, ticks)
    let sum = 0
    for (let from = 0; from < delays.length; from += SECOND_TICKS) {
      sum += Math.max(...delays.slice(from, from + SECOND_TICKS))
    }
    return delays.length ? Math.min(1, sum / (delays.length * TICK_MS)) : 0
  }
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  /** Longest delay in each second, newest last. @type {{second: number, delay: number}[]} */
  const waits = []
  player.asked = null

  player.askForSign = () => {
    if (player.asked) return
    player.asked = { tick: serv.tickCount, at: now(), looks: 0 }
    player._client.write('ping', { id: serv.tickCount })
  }
  player._client.on('pong', () => {
    if (!player.asked) return
    const { tick, at } = player.asked
    player.asked = null
    player.heardTick = tick
    const [second, delay] = [Math.floor(tick / SECOND_TICKS), now() - at]
    const newest = waits.at(-1)
    if (newest?.second === second) newest.delay = Math.max(newest.delay, delay)
    else {
      waits.push({ second, delay })
      if (waits.length > KEPT_SECONDS) waits.shift()
      player.emit('answered')
    }
    if (player.follows) serv.grantTime() // the clock waits for no other client
  })

  player.longestDelay = (tick) => {
    const since = Math.floor(tick / SECOND_TICKS)
    return waits.reduce((most, { second, delay }) => Math.max(most, second >= since ? delay : 0), 0)
  }

  player.delaySince = (tick) => {
    const { asked } = player
    const most = (serv.tickCount - tick) * TICK_MS
    const late = asked ? Math.min(most, now() - asked.at) : 0
    const since = Math.floor(tick / SECOND_TICKS)
    return waits.reduce((sum, { second, delay }) => sum + (second >= since ? delay : 0), late)
  }
}
