/** Lightning: a bolt that is visible for a moment and hurts what it strikes. */

/** @import { Server, Thing, Vec3 } from '../types/index.d.ts' */

const LIFE_TICKS = 10
const DAMAGE = 5
const REACH_BLOCKS = 3

/** @param {Server} serv */
export function server(serv) {
  serv.onSummon(['lightning_bolt'], (position) => strike(serv, position))
}

/** @param {Server} serv @param {Vec3} position */
function strike(serv, position) {
  const bolt = serv.addThing('lightning_bolt', position, (bolt) => ({
    step: () => {
      if (bolt.ageTicks > LIFE_TICKS) serv.removeThing(bolt)
    }
  }))
  for (const entity of Object.values(serv.entities)) {
    const isStruck = entity.position.distanceTo(position) <= REACH_BLOCKS
    if (!isStruck || entity.type === 'object' || entity.type === 'thing') continue
    entity.hurt(DAMAGE, 'lightning_bolt')
  }
  serv.playSound('entity.lightning_bolt.thunder', position, { radius: 160 })
  return bolt
}
