const MODES = ['survival', 'creative', 'adventure', 'spectator']

/** @type {import('./index.js').Command} */
export const command = {
  names: ['gamemode'],
  usage: 'gamemode <mode> [targets]',
  run: ({ source, args }) => {
    const mode = args.oneOf(MODES)
    const players = args.done && source.player ? [source.player] : args.players()
    args.end()
    for (const player of players) player.setGameMode(MODES.indexOf(mode))
    const title = `${mode[0].toUpperCase()}${mode.slice(1)} Mode`
    return players.map((player) => `Set ${player.username}'s game mode to ${title}`).join('\n')
  }
}
