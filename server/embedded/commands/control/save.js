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

/** @type {import('../index.js').Command} */
export const stop = {
  names: ['stop'],
  run: ({ args }) => {
    args.end()
    setImmediate(() => process.kill(process.pid, 'SIGTERM'))
    return said('commands.stop.stopping')
  }
}
