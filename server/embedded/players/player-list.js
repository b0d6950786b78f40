/** Player list: clients draw only players who are in it. */

/** @import { Server } from '../types/index.d.ts' */

/** @param {Server} serv */
export function server(serv) {
  /** Add players to other players' lists. */
  serv.sendPlayerList = (to, players) =>
    serv.send(to, 'player_info', {
      action: {
        add_player: true,
        update_game_mode: true,
        update_listed: true,
        update_latency: true
      },
      data: players.map((player) => ({
        uuid: player.uuid,
        player: { name: player.username, properties: [] },
        gamemode: player.gameMode,
        listed: 1,
        latency: 0
      }))
    })
}
