import { said } from './replies.js'

/** What clients are told: weather is to be looked at here, it changes nothing else. */
const KINDS = ['clear', 'rain', 'thunder']

/** @type {import('./index.js').Command} */
export const command = {
  names: ['weather'],
  run: ({ serv, args }) => {
    const kind = args.oneOf(KINDS)
    if (!args.done) args.ticks()
    args.end()
    const tell = (/** @type {string} */ reason, /** @type {number} */ gameMode) =>
      serv.send(serv.players, 'game_state_change', { reason, gameMode })
    tell(kind === 'clear' ? 'stop_raining' : 'start_raining', 0)
    tell('rain_level_change', kind === 'clear' ? 0 : 1)
    tell('thunder_level_change', kind === 'thunder' ? 1 : 0)
    return said(`commands.weather.set.${kind}`)
  }
}
