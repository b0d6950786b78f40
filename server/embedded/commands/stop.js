/** @type {import('./index.js').Command} */
export const command = {
  names: ['stop'],
  usage: 'stop',
  run: ({ args }) => {
    args.end()
    setImmediate(() => process.kill(process.pid, 'SIGTERM'))
    return 'Stopping the server'
  }
}
