/** @type {import('./index.js').Command} */
export const command = {
  names: ['kick'],
  usage: 'kick <targets> [reason]',
  run: ({ args }) => {
    const players = args.players()
    const reason = args.done ? 'Kicked by an operator' : args.rest()
    for (const player of players) player._client.end(reason)
    return players.map((player) => `Kicked ${player.username}: ${reason}`).join('\n')
  }
}
