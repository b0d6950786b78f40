/** Arrows: they fly, hurt what they strike by how fast they are, and stick in blocks for a minute. */

/** @import { Drop, Entity, Server, Thing, Vec3 } from '../types.d.ts' */
/** @import { Hit } from './additions.d.ts' */

const GRAVITY = 0.05
const STUCK_TICKS = 1200
/** What is left of its speed to one that bounces off, the other way. */
const BOUNCE = -0.1

/**
 * Lets an arrow fly.
 * @param {Server} serv
 * @param {{name?: string, owner: Entity | null, position: Vec3, velocity: Vec3}} flight its entity's name, who shot it, and from where
 * @param {number} damage for each block a tick
 * @param {(struck: Exclude<Entity, Drop>, strength: number, from: Vec3) => boolean} strike what it does to who is struck, where it came
 *   from; whether that was hurt: else it bounces off
 * @param {(thing: Thing, ticks: number) => void} [lie] what happens while it is stuck, and for how long it has been
 */
export function letFly(serv, { name = 'arrow', ...flight }, damage, strike, lie) {
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
      else thing.velocity = velocity.scaled(BOUNCE)
    },
    /** @param {Thing} thing */
    rest: (thing) => {
      const ticks = thing.ageTicks - arrow.since
      if (ticks > STUCK_TICKS) serv.removeThing(thing)
      else lie?.(thing, ticks)
    }
  }
  serv.shoot({ name, ...flight, gravity: GRAVITY, arrow })
}
