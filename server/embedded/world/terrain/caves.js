/**
 * Caves: halls in the rock, level passages between them, and winding tunnels between storeys and up
 * to the surface. Players can walk on their floors without steps higher than one block, except
 * where one cave opens into the roof of another.
 *
 * The land is divided into cells of 48 by 48 blocks, each with a hall on each of four storeys. Each
 * hall has a passage to the next one in the east or south, some to both, so that every storey is
 * connected; winding tunnels join the storeys. The content of a cell depends only on the seed and
 * the cell.
 */
import { hash } from './noise.js'
import { BOTTOM, put, S, SEA_LEVEL } from './states.js'

/** @import { Column } from '../../types/index.d.ts' */

/**
 * Round piece of a cave: its centre, floor, radius and height.
 * @typedef {{x: number, z: number, floor: number, radius: number, height: number}} Piece
 */
/** Centre of a hall's floor. @typedef {{x: number, y: number, z: number}} Hall */

const CELL = 48
const STOREYS = [-46, -20, 4, 28]
/**
 * Maximum horizontal offset of a hall from the centre of its cell, and vertical offset from its
 * storey.
 */
const ASIDE = 14
const UP_OR_DOWN = 4
/**
 * Fraction of halls with a second passage, fraction with a tunnel up, and fraction of dry cells
 * with an exit.
 */
const SECOND = 0.6
const WAY_UP = 0.4
const WAY_OUT = 0.9
/** Blocks between two pieces of a passage. */
const STEP = 1.2
const SWAY = 5
/** Winding tunnels: turning radius, and slope. */
const TURN_RADIUS = 5
const STEEPNESS = 0.5
/** Distance from a hall's centre to the start of its tunnels. */
const ASIDE_OF_HALL = 10
/** Thickness of the roof of caves without an exit, for example under lakes and beaches. */
const ROOF = 6
const LOWEST_WAY_OUT = SEA_LEVEL + 3
/** Minimum distance of exits from the spawn. */
const SPAWN_BLOCKS = 40
/** Angles at which to look around, and the radius. */
const ROUND = Array.from({ length: 12 }, (_, index) => (index / 6) * Math.PI)
const LOOK_BLOCKS = TURN_RADIUS + 3
const MOST_CELLS = 400
const TOP = 128
/** Purposes of a hall's random numbers. */
const SALT = { x: 1, z: 2, y: 3, radius: 4, way: 5, second: 6, winds: 7, sway: 8, each: 16 }

/**
 * @param {number} seed @param {(x: number, z: number) => number} groundAt its height
 * @param {{x: number, z: number}} spawn of players
 */
export function cavesOf(seed, groundAt, spawn) {
  /** Pieces by column, for each cell requested. @type {Map<number, Map<number, Piece[]>>} */
  const cells = new Map()
  const isCave = new Uint8Array(256 * (TOP - BOTTOM))

  /**
   * Return the height that a winding tunnel must reach to open to the surface here; 0 if it must
   * not.
   * @param {Hall} middle
   */
  function outAt({ x, z }) {
    if (Math.hypot(x - spawn.x, z - spawn.z) < SPAWN_BLOCKS) return 0
    let [lowest, highest] = [Infinity, 0]
    for (const angle of ROUND) {
      const [dx, dz] = [LOOK_BLOCKS * Math.cos(angle), LOOK_BLOCKS * Math.sin(angle)]
      const ground = groundAt(Math.round(x + dx), Math.round(z + dz))
      lowest = Math.min(lowest, ground)
      highest = Math.max(highest, ground)
    }
    return lowest >= LOWEST_WAY_OUT ? highest + 1 : 0
  }

  /** @param {number} cellX @param {number} cellZ */
  function cellAt(cellX, cellZ) {
    const id = numberOf(cellX, cellZ)
    const known = cells.get(id)
    if (known) return known
    if (cells.size >= MOST_CELLS) cells.clear()
    const made = byColumn(piecesOf(seed + 6007, cellX, cellZ, outAt))
    cells.set(id, made)
    return made
  }

  /**
   * Carve the caves of a column.
   * @param {Column} made @param {number} chunkX @param {number} chunkZ
   * @param {number[]} heights of the ground
   */
  return function carve(made, chunkX, chunkZ, heights) {
    const [cellX, cellZ] = [Math.floor((chunkX * 16) / CELL), Math.floor((chunkZ * 16) / CELL)]
    const [x0, z0] = [chunkX * 16, chunkZ * 16]
    const tops = heights.map((height) => (height < LOWEST_WAY_OUT ? height - ROOF : height))
    isCave.fill(0)
    const column = numberOf(chunkX, chunkZ)
    for (let at = 0; at < 9; at++) {
      const owner = cellAt(cellX - 1 + (at % 3), cellZ - 1 + Math.floor(at / 3))
      for (const piece of owner.get(column) ?? []) {
        hollow(made, piece, { x0, z0, tops, isCave })
      }
    }
  }
}

/**
 * @param {Column} made @param {Piece} piece
 * @param {{x0: number, z0: number, tops: number[], isCave: Uint8Array}} where
 */
function hollow(made, { x, z, floor, radius, height }, { x0, z0, tops, isCave }) {
  const [lowX, highX] = [Math.max(0, Math.ceil(x - radius) - x0), Math.floor(x + radius) - x0]
  const [lowZ, highZ] = [Math.max(0, Math.ceil(z - radius) - z0), Math.floor(z + radius) - z0]
  for (let dz = lowZ; dz <= Math.min(15, highZ); dz++) {
    for (let dx = lowX; dx <= Math.min(15, highX); dx++) {
      const share = ((x0 + dx - x) ** 2 + (z0 + dz - z) ** 2) / radius ** 2
      if (share > 1) continue
      const ceiling = floor + 1 + Math.round((height - 2) * Math.sqrt(1 - share))
      const top = Math.min(ceiling, tops[dz * 16 + dx])
      for (let y = floor; y <= top; y++) {
        const index = ((y - BOTTOM) << 8) | (dz << 4) | dx
        if (isCave[index]) continue
        isCave[index] = 1
        put(made, dx, y, dz, S.air)
      }
    }
  }
}

/**
 * Return a key for a column or a cell within the world's border.
 * @param {number} x @param {number} z
 */
const numberOf = (x, z) => x * 0x400000 + z

/** @param {Iterable<Piece>} pieces @returns {Map<number, Piece[]>} pieces that touch each column */
function byColumn(pieces) {
  /** @type {Map<number, Piece[]>} */
  const found = new Map()
  for (const piece of pieces) {
    const { x, z, radius } = piece
    for (let cx = (x - radius) >> 4; cx <= (x + radius) >> 4; cx++) {
      for (let cz = (z - radius) >> 4; cz <= (z + radius) >> 4; cz++) {
        const id = numberOf(cx, cz)
        const there = found.get(id)
        if (there) there.push(piece)
        else found.set(id, [piece])
      }
    }
  }
  return found
}

/**
 * Return a source of numbers in [0, 1) for a hall.
 * @param {number} seed @param {number} cellX @param {number} cellZ @param {number} storey
 */
const drawn = (seed, cellX, cellZ, storey) => (/** @type {number} */ salt) =>
  hash(seed, cellX, cellZ, SALT.each * storey + salt)

/**
 * @param {number} seed @param {number} cellX @param {number} cellZ @param {number} storey
 * @returns {Hall}
 */
function hallOf(seed, cellX, cellZ, storey) {
  const draw = drawn(seed, cellX, cellZ, storey)
  return {
    x: (cellX + 0.5) * CELL + ASIDE * (2 * draw(SALT.x) - 1),
    y: STOREYS[storey] + UP_OR_DOWN * (2 * draw(SALT.y) - 1),
    z: (cellZ + 0.5) * CELL + ASIDE * (2 * draw(SALT.z) - 1)
  }
}

/**
 * Return whether a hall has passages to the east and to the south.
 * @param {(salt: number) => number} draw of the hall
 */
function passagesOf(draw) {
  const isEast = draw(SALT.way) < 0.5
  const isBoth = draw(SALT.second) < SECOND
  return { east: isEast || isBoth, south: !isEast || isBoth }
}

/**
 * Yield the caves of a cell: its halls, and the passages and tunnels that start there.
 * @param {number} seed @param {number} cellX @param {number} cellZ
 * @param {(middle: Hall) => number} outAt @returns {Iterable<Piece>}
 */
function* piecesOf(seed, cellX, cellZ, outAt) {
  for (let storey = 0; storey < STOREYS.length; storey++) {
    const draw = drawn(seed, cellX, cellZ, storey)
    const hall = hallOf(seed, cellX, cellZ, storey)
    const radius = 3.5 + 3 * draw(SALT.radius)
    yield { x: hall.x, z: hall.z, floor: Math.floor(hall.y), radius, height: 3 + radius / 2 }
    const { east, south } = passagesOf(draw)
    const sway = draw(SALT.sway)
    if (east) yield* passage(hall, hallOf(seed, cellX + 1, cellZ, storey), sway)
    if (south) yield* passage(hall, hallOf(seed, cellX, cellZ + 1, storey), 1 - sway)
    const isHighest = storey === STOREYS.length - 1
    if (draw(SALT.winds) > (isHighest ? WAY_OUT : WAY_UP)) continue
    const angle = freeSide(seed, cellX, cellZ, storey)
    const middle = away(hall, angle, ASIDE_OF_HALL + TURN_RADIUS)
    const above = isHighest ? null : hallOf(seed, cellX, cellZ, storey + 1)
    const top = above?.y ?? outAt(middle)
    if (!top) continue
    yield* passage(hall, away(hall, angle, ASIDE_OF_HALL), 0)
    const end = yield* windingWay(middle, top, angle + Math.PI)
    if (above) yield* passage(end, above, 0.5)
  }
}

/** @param {Hall} from @param {number} angle @param {number} blocks @returns {Hall} */
const away = ({ x, y, z }, angle, blocks) => ({
  x: x + blocks * Math.cos(angle),
  y,
  z: z + blocks * Math.sin(angle)
})

/**
 * Return the angle in the middle of the widest gap between a hall's passages.
 * @param {number} seed @param {number} cellX @param {number} cellZ @param {number} storey
 */
function freeSide(seed, cellX, cellZ, storey) {
  const from = hallOf(seed, cellX, cellZ, storey)
  const here = passagesOf(drawn(seed, cellX, cellZ, storey))
  const neighbours = [
    { x: cellX + 1, z: cellZ, joined: here.east },
    { x: cellX, z: cellZ + 1, joined: here.south },
    { x: cellX - 1, z: cellZ, joined: passagesOf(drawn(seed, cellX - 1, cellZ, storey)).east },
    { x: cellX, z: cellZ - 1, joined: passagesOf(drawn(seed, cellX, cellZ - 1, storey)).south }
  ]
  const angles = neighbours
    .filter(({ joined }) => joined)
    .map(({ x, z }) => {
      const to = hallOf(seed, x, z, storey)
      return Math.atan2(to.z - from.z, to.x - from.x)
    })
    .sort((one, other) => one - other)
  let widest = { gap: 0, middle: 0 }
  angles.forEach((angle, index) => {
    const next = angles[index + 1] ?? angles[0] + 2 * Math.PI
    if (next - angle > widest.gap) widest = { gap: next - angle, middle: (angle + next) / 2 }
  })
  return widest.middle
}

/** @param {Hall} from @param {Hall} to @param {number} sway in [0, 1) @returns {Iterable<Piece>} */
function* passage(from, to, sway) {
  const [dx, dz] = [to.x - from.x, to.z - from.z]
  const length = Math.max(1, Math.hypot(dx, dz))
  const steps = Math.ceil((length * 1.3) / STEP)
  for (let step = 1; step < steps; step++) {
    const t = step / steps
    const aside =
      SWAY *
      Math.sin(Math.PI * t) *
      Math.sin(2 * Math.PI * (t * (1 + sway) + sway)) *
      (length / CELL)
    const radius = 1.7 + 0.6 * Math.sin(length + t * 11)
    yield {
      x: from.x + dx * t - (dz / length) * aside,
      z: from.z + dz * t + (dx / length) * aside,
      floor: Math.floor(from.y + (to.y - from.y) * t),
      radius,
      height: 2.5 + radius
    }
  }
}

/**
 * Yield a tunnel that winds upwards around a hall.
 * @param {Hall} around @param {number} top @param {number} begins start angle
 * @returns {Generator<Piece, Hall>} its end
 */
function* windingWay(around, top, begins) {
  let end = around
  for (let way = 0; around.y + way * STEEPNESS < top; way += STEP) {
    end = away(around, begins + way / TURN_RADIUS, TURN_RADIUS)
    end.y += way * STEEPNESS
    yield { x: end.x, z: end.z, floor: Math.floor(end.y), radius: 1.6, height: 4 }
  }
  return end
}
