/** Falling blocks: sand and gravel as entities that become blocks where they land. */
import { plainOf } from '../minecraft/snbt.js'
import { itemNamed, registry, Vec3 } from '../minecraft/index.js'
import { blockAt, stateLike } from './blocks.js'
import { fallOn } from '../entities/bodies.js'
import { isReplaceable } from './placing.js'

/** @import { Server, Thing } from '../types/index.d.ts' */

const GRAVITY = 0.04
const MOST_TICKS = 600

/** @param {Server} serv */
export function server(serv) {
  serv.onSummon(['falling_block'], (position, data) => {
    const state = plainOf(data, 'BlockState')
    const block = registry.blocksByName[String(state?.Name ?? 'sand').replace('minecraft:', '')]
    const kind = block ?? registry.blocksByName.sand
    return serv.dropBlock(position, stateLike(kind, state?.Properties ?? {}))
  })

  serv.dropBlock = (position, state) => {
    const thing = serv.addThing('falling_block', position, (thing) => ({
      objectData: state,
      step: () => {
        fallOn(serv, thing, GRAVITY)
        if (!serv.things.has(thing.id)) return
        if (thing.onGround || thing.ageTicks > MOST_TICKS) land(serv, thing, state)
      }
    }))
    return thing
  }
}

/** @param {Server} serv @param {Thing} thing @param {number} state */
function land(serv, thing, state) {
  const cell = thing.position.offset(0, 0.01, 0).floored()
  const { name } = registry.blocksByStateId[state]
  serv.removeThing(thing)
  const isFree = isReplaceable(serv, cell) && blockAt(serv, cell.offset(0, -1, 0)) !== undefined
  if (isFree && thing.onGround) serv.setBlock(cell, state)
  else if (registry.itemsByName[name] && serv.gamerules.doEntityDrops) {
    serv.dropItem(itemNamed(name), new Vec3(cell.x + 0.5, cell.y + 0.1, cell.z + 0.5))
  }
}
