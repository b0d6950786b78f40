const DAY_TICKS = 24_000
const MOST_TICKS = 2 ** 31 - 1
/** @type {Record<string, number>} */
const UNITS = { d: DAY_TICKS, s: 20, t: 1, '': 1 }
/** @type {Record<string, number>} */
const NAMED = { day: 1000, noon: 6000, night: 13_000, midnight: 18_000 }

/** @type {import('./index.js').Command} */
export const command = {
  names: ['time'],
  usage: 'time set|add|query <time>',
  run: ({ serv, args }) => {
    const action = args.oneOf(['set', 'add', 'query'])
    if (action === 'query') {
      const what = args.oneOf(['daytime', 'gametime', 'day'])
      /** @type {Record<string, number>} */
      const values = { daytime: serv.time, gametime: serv.tickCount, day: serv.day }
      return `The time is ${values[what]}`
    }
    const value = readTime(args)
    args.end()
    const time = (action === 'add' ? serv.time + value : value) % DAY_TICKS
    serv.setTime(time)
    return `Set the time to ${time}`
  }
}

/** Ticks, or a number of days, seconds or ticks such as 1d, or a name. @param {import('./reader.js').Reader} args */
function readTime(args) {
  const word = args.word()
  if (word in NAMED) return NAMED[word]
  const match = word.match(/^(\d+(?:\.\d+)?)([dst]?)$/)
  const ticks = match ? Math.round(Number(match[1]) * UNITS[match[2]]) : NaN
  if (!(ticks <= MOST_TICKS)) throw args.error('Expected integer')
  return ticks
}
