/**
 * Lockstep: the game's clock goes on only where the server and the bots that follow it come along.
 *
 * After each tick the server lends time up to the next one, and a tick's length more in which that one
 * may start late. A bot that follows is asked for a sign of life every few ticks and has a window in
 * which to answer; then the clock waits for it, but not for long, and not again soon, so that nobody can
 * stop it. Persons' clients do not follow: how long their answers take is a matter of their network.
 */
import { CLOCK_CHANNEL, getSpeed, lend, lends, now, wall } from '@voxpolis/clock'
import { TICK_MS } from '../world/ticks.js'

/** @import { Player, Server } from '../types/index.d.ts' */

/** Game time in which a follower is to answer: Mineflayer makes up for four ticks, and for no more. */
const WINDOW_MS = 3 * TICK_MS
/**
 * How long the clock waits for one of them, in looks, and how long it then does not, of the wall's time. A machine that
 * is too busy holds a process up for a second and two; while the clock does not wait, ten seconds at speed 10 are
 * 100 of the game's.
 */
const PATIENCE_LOOKS = 50
const REST_MS = 10_000
/** How often the server looks, by the wall's clock: while it is held up itself, nobody's patience ends. */
const LOOK_MS = 100
/** While the clock stands, clients hear from the server so often, or they would think it gone. */
const SIGN_OF_LIFE_MS = 5000
/** Of the wall's clock, for all followers together: what a sign costs is little, but not nothing. */
const SIGNS_PER_S = 400

/** @param {Server} serv */
export function server(serv) {
  let told = wall.now()
  serv.isFrozen = false
  serv.stepsLeft = 0
  serv.lendTime = () => {
    if (!lends()) return
    if (serv.isFrozen) return lend(now())
    const followers = serv.players.filter((player) => player.follows)
    const bounds = followers.map((player) => player.mayPass())
    if (serv.stepsLeft) bounds.push(serv.nextTick + serv.stepsLeft * TICK_MS - 1)
    lend(Math.min(Math.max(serv.nextTick + TICK_MS, now() + 1), ...bounds))
  }
  serv.signTicks = () => {
    const followers = serv.players.filter((player) => player.follows).length
    return Math.max(1, Math.ceil((followers * getSpeed() * 1000) / TICK_MS / SIGNS_PER_S))
  }
  serv.on('tickEnd', () => {
    if (serv.stepsLeft > 0 && --serv.stepsLeft === 0) serv.freeze(true)
    else serv.lendTime()
  })
  serv.freeze = (isFrozen) => {
    serv.isFrozen = isFrozen && lends()
    serv.stepsLeft = 0
    serv.lendTime()
  }
  serv.step = (ticks) => {
    serv.isFrozen = false
    serv.stepsLeft = ticks
    serv.lendTime()
  }
  // Where the clock stands there are no ticks.
  const look = () => {
    for (const { asked } of serv.players) if (asked) asked.looks += 1
    serv.lendTime()
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
