import { CommandError } from './reader.js'

/** @param {boolean} wanted @param {string} name @param {(who: string) => string} done @returns {import('./index.js').Command} */
function operatorCommand(wanted, name, done) {
  return {
    names: [name],
    usage: `${name} <targets>`,
    run: ({ args }) => {
      const players = args.players()
      args.end()
      const changed = players.filter((player) => Boolean(player.op) !== wanted)
      if (!changed.length) {
        const state = wanted ? 'already is' : 'is not'
        throw new CommandError(`Nothing changed. The player ${state} an operator`)
      }
      for (const player of changed) player.op = wanted
      return changed.map((player) => done(player.username)).join('\n')
    }
  }
}

export const op = operatorCommand(true, 'op', (who) => `Made ${who} a server operator`)
export const command = operatorCommand(
  false,
  'deop',
  (who) => `Made ${who} no longer a server operator`
)
