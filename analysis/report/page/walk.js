/** An agent's positions, sample by sample. */

import { Column } from 'report/column.js'

/** Maximum distance in blocks between two samples of a walk; anything longer is a teleport. */
const LEAP_BLOCKS = 100

/** @typedef {{west: number, east: number, north: number, south: number}} Box */

/** @returns {Box} */
export const nowhere = () => ({
  west: Infinity,
  east: -Infinity,
  north: Infinity,
  south: -Infinity
})

/** An agent's positions, sample by sample. */
export class Walk {
  t = new Column()
  x = new Column()
  y = new Column()
  z = new Column()
  /** Area walked since the last teleport, by world. @type {Map<any, Box>} */ boxes = new Map()

  /**
   * Return whether the next sample is too far away for the agent to have walked there.
   * @param {number} x @param {number} z
   */
  leaps(x, z) {
    const last = this.t.length - 1
    return last >= 0 && Math.hypot(x - this.x.at(last), z - this.z.at(last)) > LEAP_BLOCKS
  }

  /** @param {number} k @returns {[number, number, number]} */
  at(k) {
    return [this.x.at(k), this.y.at(k), this.z.at(k)]
  }
}

/** @param {Box} a @param {Box} b @returns {Box} */
export const joined = (a, b) => ({
  west: Math.min(a.west, b.west),
  east: Math.max(a.east, b.east),
  north: Math.min(a.north, b.north),
  south: Math.max(a.south, b.south)
})

/** @param {number} x @param {number} z @returns {Box} */
export const spot = (x, z) => ({ west: x, east: x, north: z, south: z })

/** Return the distance between two boxes along an axis. @param {Box} a @param {Box} b */
export const gap = (a, b) =>
  Math.max(a.west - b.east, b.west - a.east, a.north - b.south, b.north - a.south)

/** Angle between one neighbour at a spot and the next, in radians: the golden angle. */
const TURN = 2.4

/**
 * Move agents that stand at one spot apart, around the spot.
 * @template {number[]} At
 * @param {At[]} places of the agents, in order @param {number} gap between two agents
 * @returns {At[]}
 */
export function apart(places, gap) {
  /** Agents by spot. @type {Map<string, number>} */
  const counts = new Map()
  return places.map((at) => {
    const key = at.map((part) => Math.round((3 * part) / gap)).join()
    const before = counts.get(key) ?? 0
    counts.set(key, before + 1)
    const [far, way] = [gap * Math.sqrt(before), TURN * before]
    const moved = /** @type {At} */ ([...at])
    moved[0] += far * Math.cos(way)
    moved[at.length - 1] += far * Math.sin(way)
    return moved
  })
}
