import { said, told } from '../replies.js'

/** @type {import('../index.js').Command} */
export const command = {
  names: ['gamerule'],
  run: ({ serv, args }) => {
    const name = args.oneOf(Object.keys(serv.gamerules))
    const before = serv.gamerules[name]
    if (args.done)
      return told('commands.gamerule.query', name, String(before)).worth(Number(before))
    const value = typeof before === 'boolean' ? args.boolean() : args.integer()
    args.end()
    serv.setGamerule(name, value)
    return said('commands.gamerule.set', name, String(value)).worth(Number(value))
  }
}
