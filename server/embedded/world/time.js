/** Time of day. */

/** @import { Server } from '../types/index.d.ts' */

export const DAY_TICKS = 24_000
const TELL_TICKS = 20

/** @param {Server} serv */
export function server(serv) {
  serv.time = 1000

  serv.on('tick', () => {
    if (serv.gamerules.doDaylightCycle) {
      serv.time += 1
    }
    if (serv.tickCount % TELL_TICKS === 0) serv.sendTime(serv.players)
  })

  serv.sendTime = (players) => {
    // A negative time of day tells the client that the sun does not move.
    const time = serv.gamerules.doDaylightCycle ? serv.time : -Math.max(1, serv.time)
    serv.send(players, 'update_time', { age: BigInt(serv.tickCount), time: BigInt(time) })
  }

  serv.setTime = (time) => {
    serv.time = Math.max(0, time)
    serv.sendTime(serv.players)
  }
}
