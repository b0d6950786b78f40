/**
 * Lockstep: the game's clock advances only as fast as the server and the bots that follow it.
 *
 * After each tick, the server lets the clock advance to the next tick and by one more tick length,
 * in case that tick starts late. A follower is pinged every few ticks and must answer within a time
 * window; if it has not, the clock waits for it. The wait is short and not repeated soon, so that a
 * client cannot stop the game. The clients of human players do not follow: their delays come from
 * their network.
 */
import { CLOCK_CHANNEL, getSpeed, grant, isGranting, now, wall } from '@voxpolis/clock'
import { TICK_MS } from '../world/ticks.js'

/** @import { Player, Server } from '../types/index.d.ts' */

/**
 * Game time in which a follower must answer: after a stall, Mineflayer makes up for four ticks at
 * most.
 */
const WINDOW_MS = 3 * TICK_MS
/**
 * How long the clock waits for a follower, in checks, and how long it then ignores that follower,
 * in wall-clock time. On an overloaded machine, a process can stall for a second or two. Without
 * waiting, a stall of ten seconds at speed 10 would cost 100 seconds of game time.
 */
const PATIENCE_LOOKS = 50
const REST_MS = 10_000
/**
 * Interval of checks in wall-clock time. A stalled server makes no checks, so followers lose none
 * of their time.
 */
const LOOK_MS = 100
/** While the clock waits, clients get a keep-alive at this interval; otherwise they would time out. */
const SIGN_OF_LIFE_MS = 5000
/** Maximum pings per second of wall-clock time to all followers together. */
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
