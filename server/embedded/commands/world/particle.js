import { registry, Vec3 } from '../../minecraft/index.js'
import { CommandError, said } from '../replies.js'

/** @import { Fields } from '../../types/index.d.ts' */
/** @import { Reader } from '../arguments/reader.js' */

const SEEN_WITHIN = { normal: 32, force: 512 }

/** Additional data that some particles need. @type {Record<string, (args: Reader) => Fields>} */
const DATA = {
  dust: (args) => ({
    red: args.float(),
    green: args.float(),
    blue: args.float(),
    scale: args.float()
  }),
  dust_color_transition: (args) => ({
    ...{ fromRed: args.float(), fromGreen: args.float(), fromBlue: args.float() },
    scale: args.float(),
    ...{ toRed: args.float(), toGreen: args.float(), toBlue: args.float() }
  }),
  ...Object.fromEntries(
    ['block', 'block_marker', 'falling_dust'].map((name) => [
      name,
      (/** @type {Reader} */ args) => ({ blockState: args.block().state })
    ])
  ),
  item: (args) => ({
    item: { present: true, itemId: args.item().id, itemCount: 1, nbtData: undefined }
  }),
  sculk_charge: (args) => ({ rotation: args.float() }),
  shriek: (args) => ({ delayInTicksBeforeShown: args.integer() })
}
/** Particle whose target, a position or an entity, this server cannot parse. */
const UNREAD = 'vibration'

/** @type {import('../index.js').Command} */
export const command = {
  names: ['particle'],
  run: ({ serv, args }) => {
    const name = args.identifier().replace('minecraft:', '')
    const particle = registry.particlesByName[name]
    if (!particle || name === UNREAD) throw args.error('particle.notFound', `minecraft:${name}`)
    const data = DATA[name]?.(args)
    const at = args.done ? args.origin() : args.position()
    const spread = args.done
      ? new Vec3(0, 0, 0)
      : new Vec3(args.float(), args.float(), args.float())
    const speed = args.done ? 0 : args.float({ min: 0 })
    const count = args.done ? 0 : args.integer({ min: 0 })
    const mode = args.done ? 'normal' : args.oneOf(['normal', 'force'])
    const viewers = args.done ? serv.players : args.players()
    args.end()
    const near = viewers.filter(({ position }) => position.distanceTo(at) <= SEEN_WITHIN[mode])
    if (!near.length) throw new CommandError('commands.particle.failed')
    serv.send(near, 'world_particles', {
      particleId: particle.id,
      longDistance: mode === 'force',
      ...{ x: at.x, y: at.y, z: at.z },
      ...{ offsetX: spread.x, offsetY: spread.y, offsetZ: spread.z },
      particleData: speed,
      particles: count,
      data
    })
    return said('commands.particle.success', `minecraft:${name}`).worth(near.length)
  }
}
