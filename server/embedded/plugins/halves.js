/** Halves: doors and beds are placed as two blocks, and two single chests become a double one. */
import { registry, Vec3 } from '../minecraft.js'
import { FACES, propertiesOf, stateAt, stateLike } from './blocks.js'
import { DIRECTIONS } from './orientation.js'

/** @import { BlockKind, Server } from '../types.d.ts' */

/** The other half of a door or bed. @param {BlockKind} block @param {number} state @param {Vec3} target */
export function secondHalf(block, state, target) {
  const properties = propertiesOf(state)
  if (block.name.endsWith('_door')) {
    const position = target.offset(0, 1, 0)
    return { position, state: stateLike(block, { ...properties, half: 'upper' }) }
  }
  if (block.name.endsWith('_bed')) {
    const position = target.plus(FACES[DIRECTIONS.indexOf(properties.facing)])
    return { position, state: stateLike(block, { ...properties, part: 'head' }) }
  }
  return null
}

/** Makes a chest and a single one beside it into a double chest. @param {Server} serv @param {BlockKind} block @param {number} state @param {Vec3} target */
export function joinChest(serv, block, state, target) {
  if (!/^(chest|trapped_chest)$/.test(block.name)) return
  const { facing } = propertiesOf(state)
  const right = FACES[DIRECTIONS.indexOf(facing)] // turned by 90°: (x, z) → (-z, x)
  const step = new Vec3(-right.z, 0, right.x)
  for (const { side, type, other } of [
    { side: step, type: 'left', other: 'right' },
    { side: step.scaled(-1), type: 'right', other: 'left' }
  ]) {
    const position = target.plus(side)
    const neighbour = stateAt(serv.overworld, position)
    const theirs = propertiesOf(neighbour)
    const isSingle = registry.blocksByStateId[neighbour] === block && theirs.type === 'single'
    if (!isSingle || theirs.facing !== facing) continue
    serv.setBlock(target, stateLike(block, { ...propertiesOf(state), type }))
    serv.setBlock(position, stateLike(block, { ...theirs, type: other }))
    return
  }
}
