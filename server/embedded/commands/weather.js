/** What clients are told: weather is to be looked at here, it changes nothing else. */
const KINDS = ['clear', 'rain', 'thunder']

/** @type {import('./index.js').Command} */
export const command = {
  names: ['weather'],
  usage: 'weather clear|rain|thunder [duration]',
  run: ({ serv, args }) => {
    const kind = args.oneOf(KINDS)
    if (!args.done) args.word()
    args.end()
    const tell = (/** @type {string} */ reason, /** @type {number} */ gameMode) =>
      serv.send(serv.players, 'game_state_change', { reason, gameMode })
    tell(kind === 'clear' ? 'stop_raining' : 'start_raining', 0)
    tell('rain_level_change', kind === 'clear' ? 0 : 1)
    tell('thunder_level_change', kind === 'thunder' ? 1 : 0)
    const answers = { clear: 'clear', rain: 'rain', thunder: 'rain & thunder' }
    return `Set the weather to ${answers[/** @type {'clear'} */ (kind)]}`
  }
}
