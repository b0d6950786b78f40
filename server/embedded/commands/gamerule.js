/** @type {import('./index.js').Command} */
export const command = {
  names: ['gamerule'],
  usage: 'gamerule <rule> [value]',
  run: ({ serv, args }) => {
    const name = args.oneOf(Object.keys(serv.gamerules))
    if (args.done) return `Gamerule ${name} is currently set to: ${serv.gamerules[name]}`
    const isFlag = typeof serv.gamerules[name] === 'boolean'
    const value = isFlag ? args.oneOf(['true', 'false']) === 'true' : args.integer()
    args.end()
    serv.setGamerule(name, value)
    return `Gamerule ${name} is now set to: ${value}`
  }
}
