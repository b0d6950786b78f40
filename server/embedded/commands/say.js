/** @type {import('./index.js').Command} */
export const command = {
  names: ['say'],
  usage: 'say <message>',
  run: ({ serv, source, args }) => {
    serv.broadcast(`[${source.name}] ${args.rest()}`)
    return ''
  }
}
