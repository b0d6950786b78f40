/**
 * Visibility: players see each other, as players.
 *
 * Upstream tells the others of a new player but never the new player of the others, and a client
 * does not draw a player who is not in its list. It also leaves the entity type empty, which
 * 1.20.4 reads as the first one of the registry, an allay.
 */

/** @param {any} serv */
export function server(serv) {
  serv.sendPlayers = (/** @type {any[]} */ to, /** @type {any[]} */ players) =>
    serv._writeArray(
      'player_info',
      {
        action: {
          add_player: true,
          update_game_mode: true,
          update_listed: true,
          update_latency: true
        },
        data: players.map((player) => ({
          uuid: player.uuid,
          player: { name: player.username, properties: player.profileProperties ?? [] },
          gamemode: player.gameMode,
          listed: 1,
          latency: 0
        }))
      },
      to
    )
}

/** @param {any} player @param {any} serv */
export function player(player, serv) {
  player.entityType = serv.registry.entitiesByName.player.id
  // Upstream sets this function anew for each player, before ours runs.
  serv._sendPlayerList = (/** @type {any} */ newcomer) => {
    serv.sendPlayers([newcomer], serv.players)
    serv.sendPlayers(newcomer.getOtherPlayers(), [newcomer])
  }
}
