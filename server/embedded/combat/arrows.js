/** Arrows: they fly, hurt what they strike by how fast they are, and stick in blocks for a minute. */

/** @import { Drop, Entity, Server, Thing, Vec3 } from '../types/index.d.ts' */
/** @import { Hit } from '../types/additions.d.ts' */

const GRAVITY = 0.05
const STUCK_TICKS = 1200
/** What is left of its speed to one that bounces off, the other way. */
const BOUNCE = -0.1
/** What bounces off slower, in blocks a tick, is an arrow no more. */
const SLOWEST = Math.sqrt(1e-7)

/**
 * Lets an arrow fly.
 * @param {Server} serv
 * @param {{name?: string, owner: Entity | null, position: Vec3, velocity: Vec3}} flight its entity's name, who shot it, and from where
 * @param {number} damage for each block a tick
 * @param {(struck: Exclude<Entity, Drop>, strength: number, from: Vec3) => boolean} strike what it does to who is struck, where it came
 *   from; whether that was hurt: else it bounces off
 * @param {object} [then]
 * @param {(thing: Thing, ticks: number) => void} [then.lie] what happens while it is stuck, and for how long it has been
 * @param {(thing: Thing) => void} [then.drop] what becomes of one that hangs on who is not hurt
 */
export function letFly(serv, { name = 'arrow', ...flight }, damage, strike, { lie, drop } = {}) {
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
