/** Chat commands of players: the same commands as over RCON, for operators only. */
import { runCommand } from '../commands/index.js'

/** @import { Player, Server } from '../types.d.ts' */

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.handleCommand = async (/** @type {string} */ line) => {
    const level = player.op ? 'op' : 'player'
    const answer = await runCommand(serv, line, { name: player.username, level, player })
    if (answer) player.system(answer)
  }
}
