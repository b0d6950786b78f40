import { said } from './replies.js'

/**
 * Starts random sequences anew, as vanilla has it since 1.20.2; loot tables are sequences, such as
 * `minecraft:blocks/gravel`.
 * @type {import('./index.js').Command}
 */
export const command = {
  names: ['random'],
  branches: ['reset'],
  run: ({ serv, args }) => {
    args.oneOf(['reset'])
    const name = args.identifier()
    const seed = args.done ? undefined : args.integer()
    args.end()
    if (name === '*')
      return said('commands.random.reset.all.success', serv.resetRandomSequences(seed))
    serv.resetRandomSequence(name, seed)
    return said('commands.random.reset.success', name)
  }
}
