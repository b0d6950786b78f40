import { objectiveOf } from './objectives.js'
import { CommandError, said } from '../replies.js'

const KEY = 'commands.trigger'

/**
 * Change an objective that an operator has enabled for the player, once each time it is enabled.
 * @type {import('../index.js').Command}
 */
export const command = {
  names: ['trigger'],
  isForAll: true,
  run: ({ serv, source, args }) => {
    const { name, title, criterion, scores, enabled } = objectiveOf(serv, args.word())
    const how = args.done ? null : args.oneOf(/** @type {const} */ (['add', 'set']))
    const value = how ? args.integer() : 1
    args.end()
    const { entity } = source
    if (entity?.type !== 'player') throw new CommandError('permissions.requires.player')
    if (criterion !== 'trigger') throw new CommandError(`${KEY}.failed.invalid`)
    const { username } = entity
    if (!enabled.has(username)) throw new CommandError(`${KEY}.failed.unprimed`)
    const now = how === 'set' ? value : (scores.get(username) ?? 0) + value
    enabled.delete(username)
    serv.setScore(name, username, now)
    const values = how ? [value] : []
    return said(`${KEY}.${how ?? 'simple'}.success`, title, ...values).worth(now)
  }
}
