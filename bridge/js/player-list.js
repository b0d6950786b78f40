/** Index of players by UUID, because Mineflayer searches the whole player list for each update. */

/** @param {object} bot Mineflayer's bot, with its plugins loaded */
export function indexPlayersByUuid(bot) {
  const list = /** @type {any} */ (bot)
  list._playerFromUUID = (/** @type {string} */ uuid) => {
    const player = list.players[list.uuidToUsername[uuid]]
    return player?.uuid === uuid ? player : undefined
  }
}
