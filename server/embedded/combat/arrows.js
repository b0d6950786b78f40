/** Arrows: they fly, do damage that depends on speed, and stick in blocks for a minute. */

/** @import { Drop, Entity, Server, Thing, Vec3 } from '../types/index.d.ts' */
/** @import { Hit } from '../types/additions.d.ts' */

const GRAVITY = 0.05
const STUCK_TICKS = 1200
/** Fraction of the speed that an arrow keeps when it bounces back. */
const BOUNCE = -0.1
/** A bouncing arrow slower than this, in blocks per tick, disappears. */
const SLOWEST = Math.sqrt(1e-7)

/**
 * Launch an arrow.
 * @param {Server} serv
 * @param {{name?: string, owner: Entity | null, position: Vec3, velocity: Vec3}} flight entity name, shooter and start
 * @param {number} damage per block per tick
 * @param {(struck: Exclude<Entity, Drop>, strength: number, from: Vec3) => boolean} strike applies the hit to a body; false: no damage, so the arrow bounces off
 * @param {object} [then]
 * @param {(thing: Thing, ticks: number) => void} [then.lie] called while it is stuck, with the time since
 * @param {(thing: Thing) => void} [then.drop] called when it comes to rest after bouncing off a body
 */
export function launchArrow(
  serv,
  { name = 'arrow', ...flight },
  damage,
  strike,
  { lie, drop } = {}
) {
  /** @param {Thing} thing */
  const bounce = (thing) => {
    thing.velocity = thing.velocity.scaled(BOUNCE)
    if (thing.velocity.norm() >= SLOWEST) return
    serv.removeThing(thing)
    drop?.(thing)
  }
  const arrow = {
    isStuck: false,
    since: 0,
    /** @param {Hit} hit */
    hit: ({ thing, entity }) => {
      if (!entity || entity.type === 'object') {
        Object.assign(arrow, { isStuck: true, since: thing.ageTicks })
        thing.velocity.set(0, 0, 0)
        return
      }
      const { velocity, position } = thing
      const isHurt = strike(entity, Math.ceil(velocity.norm() * damage), position.minus(velocity))
      if (isHurt) serv.removeThing(thing)
      else bounce(thing)
    },
    /** @param {Thing} thing */
    rest: (thing) => {
      const ticks = thing.ageTicks - arrow.since
      if (ticks > STUCK_TICKS) serv.removeThing(thing)
      else lie?.(thing, ticks)
    }
  }
  return serv.shoot({ name, ...flight, gravity: GRAVITY, arrow })
}
