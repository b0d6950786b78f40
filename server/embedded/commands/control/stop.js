import { said } from '../replies.js'

/** @type {import('../index.js').Command} */
export const command = {
  names: ['stop'],
  run: ({ args }) => {
    args.end()
    setImmediate(() => process.kill(process.pid, 'SIGTERM'))
    return said('commands.stop.stopping')
  }
}
