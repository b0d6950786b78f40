/**
 * Players' commands, the same as over RCON. Clients receive the command tree and help with
 * completion.
 */
import { BY_NAME, runCommand } from '../commands/index.js'
import { completionsOf } from '../commands/completion.js'
import { treeOf } from '../commands/tree.js'
import { nameOfPlayer, translated } from '../minecraft/texts.js'

/** @import { Fields, Player, Server } from '../types/index.d.ts' */

/** Status that tells a client its operator rights: vanilla's levels 0 to 4 are statuses 24 to 28. */
const RIGHTS_STATUS = { player: 24, op: 28 }
/** Command tree by level, built once. @type {Partial<Record<'op' | 'player', Fields>>} */
const trees = {}

/** @param {Player} player @returns {'op' | 'player'} */
const levelOf = (player) => (player.op ? 'op' : 'player')

/** @param {Server} serv */
export function server(serv) {
  /** Notify all other operators, as in vanilla. */
  serv.notifyOperators = (text, source) => {
    if (!serv.gamerules.sendCommandFeedback) return
    const note = {
      ...translated('chat.type.admin', source.title, text),
      color: 'gray',
      italic: true
    }
    serv.broadcast(note, { to: serv.players.filter((p) => p.op && p !== source.entity) })
  }
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  const source = () => ({ title: nameOfPlayer(player), level: levelOf(player), entity: player })

  player.handleCommand = (line) => {
    const outcome = runCommand(serv, line, source())
    if (outcome instanceof Promise) void outcome.then(answer)
    else answer(outcome)
  }

  /** @param {import('../commands/index.js').Outcome} outcome */
  function answer({ texts, isRefused }) {
    if (!isRefused && !serv.gamerules.sendCommandFeedback) return
    for (const text of texts) {
      player.system(isRefused ? { text: '', extra: [text], color: 'red' } : text)
    }
  }

  player.setOperator = (wanted) => {
    player.op = wanted
    player.sendRights()
  }

  player.sendRights = () => {
    const level = levelOf(player)
    trees[level] ??= treeOf(BY_NAME, level)
    const entityStatus = RIGHTS_STATUS[level]
    player._client.write('entity_status', { entityId: player.id, entityStatus })
    player._client.write('declare_commands', trees[level])
  }

  player._client.on('tab_complete', ({ transactionId, text }) => {
    const { start, length, matches } = completionsOf(serv, text, source())
    const found = matches.map((match) => ({ match, tooltip: undefined }))
    player._client.write('tab_complete', { transactionId, start, length, matches: found })
  })
}
