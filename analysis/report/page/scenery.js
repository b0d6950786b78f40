/** Scenery at the named places of villages on the grid. It is decoration: no agent sees it. */

import data from 'report/scenery.json'

/**
 * Scenes by name, and under `places` the scene of each place; other places, such as towns, are
 * hamlets. A scene has boxes (block, middle x, bottom, middle z, width, height, depth, in blocks),
 * and other scenes (name, x, z).
 */
const { places, ...scenes } = /** @type {any} */ (data)
/** Land around the outermost agents and places, and height, that scenery needs, in blocks. */
export const SCENERY = { margin: 12, height: 6 }
/** Number that marks the places of a further village. */
const COPY = / \d+$/

/**
 * @param {{box: (low: number[], high: number[], block: string) => void}} mesh or a plan, on which higher boxes come later
 * @param {any} world built world; only villages have open land
 * @param {number} scale
 */
export function addScenery(mesh, world, scale) {
  if (world.ground[0]?.[0] !== 'land') return
  for (const [full, [x, , z]] of Object.entries(world.places)) {
    const name = full.replace(COPY, '')
    const scene = Object.hasOwn(places, name) ? places[name] : 'hamlet'
    for (const [block, dx, y, dz, wide, tall, deep] of boxes(scene, 0, 0)) {
      const placed = (/** @type {number} */ side, /** @type {number} */ height) => [
        x + scale * (dx + (side * wide) / 2),
        scale * height,
        z + scale * (dz + (side * deep) / 2)
      ]
      mesh.box(placed(-1, y), placed(1, y + tall), block)
    }
  }
}

/**
 * Yield the boxes of a scene, and of the scenes in it.
 * @param {string} scene @param {number} x @param {number} z @returns {Generator<any[]>}
 */
function* boxes(scene, x, z) {
  for (const [name, dx, ...rest] of scenes[scene])
    if (name in scenes) yield* boxes(name, x + dx, z + rest[0])
    else yield [name, x + dx, rest[0], z + rest[1], ...rest.slice(2)]
}
