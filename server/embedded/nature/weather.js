/**
 * Weather: commands set it, clients show it, and the world saves it; on this server it has no other
 * effect.
 */

/** @import { Server } from '../types/index.d.ts' */

/** @param {Server} serv */
export function server(serv) {
  serv.weather = { kind: 'clear', left: Infinity }

  serv.setWeather = (kind, left = Infinity) => {
    serv.weather = { kind, left }
    serv.sendWeather(serv.players)
  }

  serv.sendWeather = (players) => {
    const { kind } = serv.weather
    const tell = (/** @type {string} */ reason, /** @type {number} */ gameMode) =>
      serv.send(players, 'game_state_change', { reason, gameMode })
    tell(kind === 'clear' ? 'stop_raining' : 'start_raining', 0)
    tell('rain_level_change', kind === 'clear' ? 0 : 1)
    tell('thunder_level_change', kind === 'thunder' ? 1 : 0)
  }

  serv.on('tick', () => {
    const { weather } = serv
    if (weather.kind === 'clear' || !serv.gamerules.doWeatherCycle) return
    weather.left -= 1
    if (weather.left <= 0) serv.setWeather('clear')
  })
}
