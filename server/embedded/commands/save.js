import { CommandError } from './reader.js'

/** @type {import('./index.js').Command} */
export const command = {
  names: ['save-all'],
  usage: 'save-all [flush]',
  run: async ({ serv, args }) => {
    if (!args.done) args.oneOf(['flush'])
    args.end()
    if (!serv.saveWorld)
      throw new CommandError('The world is not saved: start the server with --world DIR')
    await serv.saveWorld()
    return 'Saved the game'
  }
}
