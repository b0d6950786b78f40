/**
 * Lockstep: the game's clock advances only as fast as the server and the bots that follow it.
 *
 * After each tick the server grants time up to the next one, plus the length of a tick in which
 * that one may start late. A follower is pinged every few ticks and has a window to answer; after
 * that the clock waits for it. The wait is short and not repeated soon, so that a client cannot
 * stop the game. Human players' clients do not follow: their delays are a matter of their network.
 */
import { CLOCK_CHANNEL, getSpeed, grant, isGranting, now, wall } from '@voxpolis/clock'
import { TICK_MS } from '../world/ticks.js'

/** @import { Player, Server } from '../types/index.d.ts' */

/** Game time in which a follower must answer: Mineflayer catches up on four ticks at most. */
const WINDOW_MS = 3 * TICK_MS
/**
 * How long the clock waits for a follower, in checks, and how long it then ignores it, in wall
 * time. An overloaded machine stalls a process for a second or two; without waiting, ten seconds at
 * speed 10 are 100 seconds of game time.
 */
const PATIENCE_LOOKS = 50
const REST_MS = 10_000
/** Interval of checks in wall time: while the server itself is stalled, followers lose no time. */
const LOOK_MS = 100
/** While the clock waits, clients get a keep-alive this often; otherwise they would time out. */
const SIGN_OF_LIFE_MS = 5000
/** Pings per second of wall time for all followers together, to bound their small cost. */
const SIGNS_PER_S = 400

/** @param {Server} serv */
export function server(serv) {
  let told = wall.now()
  serv.isFrozen = false
  serv.stepsLeft = 0
  serv.grantTime = () => {
    if (!isGranting()) return
    if (serv.isFrozen) return grant(now())
    const followers = serv.players.filter((player) => player.follows)
    const bounds = followers.map((player) => player.mayPass())
    if (serv.stepsLeft) bounds.push(serv.nextTick + serv.stepsLeft * TICK_MS - 1)
    grant(Math.min(Math.max(serv.nextTick + TICK_MS, now() + 1), ...bounds))
  }
  serv.signTicks = () => {
    const followers = serv.players.filter((player) => player.follows).length
    return Math.max(1, Math.ceil((followers * getSpeed() * 1000) / TICK_MS / SIGNS_PER_S))
  }
  serv.on('tickEnd', () => {
    if (serv.stepsLeft > 0 && --serv.stepsLeft === 0) serv.freeze(true)
    else serv.grantTime()
  })
  serv.freeze = (isFrozen) => {
    serv.isFrozen = isFrozen && isGranting()
    serv.stepsLeft = 0
    serv.grantTime()
  }
  serv.step = (ticks) => {
    serv.isFrozen = false
    serv.stepsLeft = ticks
    serv.grantTime()
  }
  // There are no ticks while the clock is frozen.
  const look = () => {
    for (const { asked } of serv.players) if (asked) asked.looks += 1
    serv.grantTime()
    if (!serv.isFrozen || wall.now() - told < SIGN_OF_LIFE_MS) return
    told = wall.now()
    for (const player of serv.players) player._client.write('ping', { id: serv.tickCount })
  }
  wall.setInterval(look, LOOK_MS).unref()
}

/** @param {Player} player */
export function player(player) {
  let restsUntil = -Infinity
  player.follows = false
  player._client.on('custom_payload', ({ channel }) => {
    if (channel === CLOCK_CHANNEL) player.follows = true
  })
  player.mayPass = () => {
    if (!player.follows || !player.asked || restsUntil > wall.now()) return Infinity
    if (player.asked.looks < PATIENCE_LOOKS) return player.asked.at + WINDOW_MS
    restsUntil = wall.now() + REST_MS
    return Infinity
  }
}
