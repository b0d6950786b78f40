/** Chat commands of players: the same commands as over RCON, for operators only. */
import { runCommand } from '../commands/index.js'

/** @param {any} player @param {any} serv */
export function player(player, serv) {
  player.handleCommand = async (/** @type {string} */ line) => {
    const level = player.op ? 'op' : 'player'
    const answer = await runCommand(serv, line, { name: player.username, level, player })
    if (answer) player.system(answer)
  }
}
