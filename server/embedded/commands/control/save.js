import { CommandError, said } from '../replies.js'

/** @type {import('../index.js').Command} */
export const command = {
  names: ['save-all'],
  run: async ({ serv, args }) => {
    if (!args.done) args.oneOf(['flush'])
    args.end()
    if (!serv.saveWorld)
      throw new CommandError('The world is not saved: start the server with --world DIR')
    await serv.saveWorld()
    return said('commands.save.success')
  }
}
