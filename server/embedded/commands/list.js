/** @type {import('./index.js').Command} */
export const command = {
  names: ['list'],
  usage: 'list',
  run: ({ serv, args }) => {
    args.end()
    const names = serv.players.map((player) => player.username)
    return `There are ${names.length} of a max of ${serv._server.maxPlayers} players online: ${names.join(', ')}`
  }
}
