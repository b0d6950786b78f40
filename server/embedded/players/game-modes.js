/** Game modes: survival, creative, adventure and spectator, with their numbers in the protocol. */

/** @import { Options, Player, Server } from '../types/index.d.ts' */

export const SURVIVAL = 0
export const CREATIVE = 1
export const ADVENTURE = 2
export const SPECTATOR = 3

/** A client's abilities in each mode, as flags of the protocol. */
const ABILITIES = { [SURVIVAL]: 0, [CREATIVE]: 0x0d, [ADVENTURE]: 0, [SPECTATOR]: 0x07 }

/** @param {Server} serv @param {Options} options */
export function server(serv, options) {
  serv.gameMode = options.gameMode
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.setGameMode = (gameMode) => {
    player.gameMode = gameMode
    player._client.write('game_state_change', { reason: 'change_game_mode', gameMode })
    serv.send(serv.players, 'player_info', {
      action: { update_game_mode: true },
      data: [{ uuid: player.uuid, gamemode: gameMode }]
    })
    player.sendAbilities()
  }

  player.sendAbilities = () => {
    const flags = ABILITIES[/** @type {keyof typeof ABILITIES} */ (player.gameMode)]
    player._client.write('abilities', { flags, flyingSpeed: 0.05, walkingSpeed: 0.1 })
  }
}
