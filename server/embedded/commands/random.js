/**
 * Starts random sequences anew, as vanilla has it since 1.20.2; loot tables are sequences, such as
 * `minecraft:blocks/gravel`.
 * @type {import('./index.js').Command}
 */
export const command = {
  names: ['random'],
  usage: 'random reset <sequence | *> [seed]',
  run: ({ serv, args }) => {
    args.oneOf(['reset'])
    const name = args.identifier()
    const seed = args.done ? undefined : args.integer()
    args.end()
    if (name === '*') return `Reset ${serv.resetRandomSequences(seed)} random sequence(s)`
    serv.resetRandomSequence(name, seed)
    return `Reset random sequence ${name}`
  }
}
