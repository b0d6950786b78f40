/** Layout of a graph by forces, after Fruchterman and Reingold; the same graph looks the same. */

/** Number of computed pairs of nodes that bounds the iterations, and limits of the iterations. */
const MOST_WORK = 3e7
const [FEWEST, MOST] = [40, 300]
/** Part of the iterations if there are earlier places. */
const LATER = 0.1
/** Angle between nodes on the spiral at the start. */
const GOLDEN = 2.399963
const GRAVITY = 4
/** Number of edges per node above which each attracts less. */
const EDGES = 4

/** @typedef {{x: number, y: number}} Point */

/**
 * Move nodes to places between 0 and 1: linked nodes attract, all nodes repel each other.
 * @param {number} count number of nodes
 * @param {[number, number, number][]} edges two nodes, and the strength from 0 to 1
 * @param {Point[]} [before] earlier places of the first nodes; they move only slightly
 * @returns {Point[]}
 */
export function arranged(count, edges, before = []) {
  const ideal = 1 / Math.sqrt(Math.max(1, count))
  const pull = Math.min(1, (EDGES * count) / edges.length)
  const nodes = Array.from({ length: count }, (_, k) => {
    const away = 0.5 * Math.sqrt((k + 0.5) / count)
    const { x, y } = before[k] ?? {
      x: 0.5 + away * Math.cos(GOLDEN * k),
      y: 0.5 + away * Math.sin(GOLDEN * k)
    }
    return { x: x - 0.5, y: y - 0.5, dx: 0, dy: 0 }
  })
  const possible = Math.min(MOST, Math.max(FEWEST, MOST_WORK / (count * count)))
  const rounds = before.length ? possible * LATER : possible
  for (let round = 0; round < rounds; round++) {
    const heat = (before.length ? 0.02 : 0.1) * (1 - round / rounds)
    for (const node of nodes) {
      node.dx = -GRAVITY * node.x
      node.dy = -GRAVITY * node.y
    }
    for (let a = 0; a < count; a++)
      for (let b = a + 1; b < count; b++) {
        const [one, other] = [nodes[a], nodes[b]]
        const [x, y] = [one.x - other.x, one.y - other.y]
        push(one, other, (ideal * ideal) / Math.max(1e-6, x * x + y * y))
      }
    for (const [a, b, strength] of edges) {
      const [one, other] = [nodes[a], nodes[b]]
      push(one, other, (-strength * pull * Math.hypot(one.x - other.x, one.y - other.y)) / ideal)
    }
    for (const node of nodes) {
      const part = Math.min(1, heat / Math.max(1e-9, Math.hypot(node.dx, node.dy)))
      node.x += node.dx * part
      node.y += node.dy * part
    }
  }
  return framed(nodes)
}

/**
 * Push two nodes apart, or pull them together if the force is negative.
 * @param {Point & {dx: number, dy: number}} one @param {Point & {dx: number, dy: number}} other
 * @param {number} force per unit of distance
 */
function push(one, other, force) {
  const [x, y] = [(one.x - other.x) * force, (one.y - other.y) * force]
  one.dx += x
  one.dy += y
  other.dx -= x
  other.dy -= y
}

/** Scale places so that they fill the frame from 0 to 1. @param {Point[]} nodes */
function framed(nodes) {
  const scale = (/** @type {'x' | 'y'} */ axis) => {
    const all = nodes.map((node) => node[axis])
    const [least, most] = all.reduce(([l, m], at) => [Math.min(l, at), Math.max(m, at)], [9, -9])
    return (/** @type {number} */ at) => (most > least ? (at - least) / (most - least) : 0.5)
  }
  const [x, y] = [scale('x'), scale('y')]
  return nodes.map((node) => ({ x: x(node.x), y: y(node.y) }))
}
