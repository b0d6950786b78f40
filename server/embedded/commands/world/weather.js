import { said } from '../replies.js'

/** @type {import('../index.js').Command} */
export const command = {
  names: ['weather'],
  run: ({ serv, args }) => {
    const kind = args.oneOf(/** @type {const} */ (['clear', 'rain', 'thunder']))
    const ticks = args.done ? undefined : args.ticks()
    args.end()
    serv.setWeather(kind, ticks)
    return said(`commands.weather.set.${kind}`)
  }
}
