import { said, told } from '../replies.js'

const DAY_TICKS = 24_000
const MOST_TICKS = 2 ** 31 - 1
/** @type {Record<string, number>} */
const NAMED = { day: 1000, noon: 6000, night: 13_000, midnight: 18_000 }

/** @type {import('../index.js').Command} */
export const command = {
  names: ['time'],
  run: ({ serv, args }) => {
    const action = args.oneOf(['set', 'add', 'query'])
    if (action === 'query') {
      const what = args.oneOf(['daytime', 'gametime', 'day'])
      args.end()
      const values = {
        daytime: serv.time % DAY_TICKS,
        gametime: serv.tickCount % MOST_TICKS,
        day: Math.floor(serv.time / DAY_TICKS) % MOST_TICKS
      }
      return told('commands.time.query', values[what]).worth(values[what])
    }
    const isNamed = action === 'set' && args.peek() in NAMED
    const value = isNamed ? NAMED[args.word()] : args.ticks()
    args.end()
    serv.setTime(action === 'add' ? serv.time + value : value)
    const shown = action === 'add' ? serv.time % DAY_TICKS : value
    return said('commands.time.set', shown).worth(serv.time % DAY_TICKS)
  }
}

/** @type {import('../index.js').Command} */
export const weather = {
  names: ['weather'],
  run: ({ serv, args }) => {
    const kind = args.oneOf(/** @type {const} */ (['clear', 'rain', 'thunder']))
    const ticks = args.done ? undefined : args.ticks()
    args.end()
    serv.setWeather(kind, ticks)
    return said(`commands.weather.set.${kind}`)
  }
}
