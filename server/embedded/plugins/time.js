/** Time: the day that the ticks make. */

/** @import { Server } from '../types.d.ts' */

const DAY_TICKS = 24_000
const TELL_TICKS = 20

/** @param {Server} serv */
export function server(serv) {
  serv.time = 1000
  serv.day = 0

  serv.on('tick', () => {
    if (serv.gamerules.doDaylightCycle) {
      serv.time += 1
      if (serv.time >= DAY_TICKS) {
        serv.time = 0
        serv.day += 1
      }
    }
    if (serv.tickCount % TELL_TICKS === 0) serv.tellTime(serv.players)
  })

  serv.tellTime = (players) => {
    // A negative time of day tells the client that it stands still.
    const time = serv.gamerules.doDaylightCycle ? serv.time : -Math.max(1, serv.time)
    serv.send(players, 'update_time', { age: BigInt(serv.tickCount), time: BigInt(time) })
  }

  serv.setTime = (time) => {
    serv.time = ((time % DAY_TICKS) + DAY_TICKS) % DAY_TICKS
    serv.tellTime(serv.players)
  }
}
