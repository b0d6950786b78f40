/** The player list by uuid: Mineflayer looks through all players for each one that it is told of. */

/** @param {object} bot Mineflayer's, whose plugins are loaded */
export function knowPlayersByUuid(bot) {
  const list = /** @type {any} */ (bot)
  list._playerFromUUID = (/** @type {string} */ uuid) => {
    const player = list.players[list.uuidToUsername[uuid]]
    return player?.uuid === uuid ? player : undefined
  }
}
