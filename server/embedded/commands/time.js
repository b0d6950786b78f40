const DAY_TICKS = 24_000
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
      const values = { daytime: serv.time, gametime: serv.tickCount, day: serv.day }
      return `The time is ${/** @type {any} */ (values)[what]}`
    }
    const word = args.word()
    const value = NAMED[word] ?? Number(word)
    if (!Number.isInteger(value) || value < 0) throw args.error('Expected integer')
    const time = (action === 'add' ? serv.time + value : value) % DAY_TICKS
    serv.setTime(time)
    return `Set the time to ${time}`
  }
}
