import { isDamageType } from '../../health/damage-types.js'
import { nameOfEntity } from '../../minecraft/texts.js'
import { CommandError, said } from '../replies.js'

/** @import { Entity, Player } from '../../types/index.d.ts' */

/** @type {import('../index.js').Command} */
export const command = {
  names: ['damage'],
  run: ({ args }) => {
    const target = args.entity()
    const amount = args.float({ min: 0 })
    const type = args.done ? 'generic' : typeOf(args)
    const how = args.done ? null : args.oneOf(['at', 'by'])
    if (how === 'at') args.position()
    const by = how === 'by' ? args.entity() : null
    if (by && !args.done) {
      args.oneOf(['from'])
      args.entity()
    }
    args.end()
    if (!isHurt(target, amount, type, by)) throw new CommandError('commands.damage.invulnerable')
    const told = Number.isInteger(amount) ? amount.toFixed(1) : amount
    return said('commands.damage.success', told, nameOfEntity(target))
  }
}

/** @param {import('../arguments/reader.js').Reader} args @returns {string} */
function typeOf(args) {
  const id = args.identifier()
  const name = id.replace('minecraft:', '')
  if (isDamageType(name)) return name
  throw args.error('argument.resource.not_found', id, 'minecraft:damage_type')
}

/** @param {Entity} target @param {number} amount @param {string} type @param {Entity | null} by */
function isHurt(target, amount, type, by) {
  if (target.type !== 'player' && target.type !== 'mob') return false
  return target.hurt(amount, type, by ? /** @type {Player} */ (by) : undefined) !== null
}
