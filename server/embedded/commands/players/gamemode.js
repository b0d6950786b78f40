import { nameOfPlayer, translated } from '../../minecraft/texts.js'
import { said } from '../replies.js'

const MODES = ['survival', 'creative', 'adventure', 'spectator']

/** @type {import('../index.js').Command} */
export const command = {
  names: ['gamemode'],
  run: ({ serv, source, args }) => {
    const mode = args.word()
    if (!MODES.includes(mode)) throw args.error('argument.gamemode.invalid', mode)
    const players = args.playersOrSelf()
    args.end()
    const changed = players.filter((player) => player.gameMode !== MODES.indexOf(mode))
    const title = translated(`gameMode.${mode}`)
    return changed.map((player) => {
      player.setGameMode(MODES.indexOf(mode))
      if (player === source.entity) return said('commands.gamemode.success.self', title)
      if (serv.gamerules.sendCommandFeedback) player.system(translated('gameMode.changed', title))
      return said('commands.gamemode.success.other', nameOfPlayer(player), title)
    })
  }
}
