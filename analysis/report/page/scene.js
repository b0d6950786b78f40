/** 3D view of the world: blocks, agents, and their items and speech. */

import { bodiesOf } from 'report/bodies.js'
import { Camera, facing, isInView } from 'report/camera.js'
import { byId, styled } from 'report/elements.js'
import { Graphics } from 'report/graphics.js'
import { coloured, dress, meshOf, plainMesh } from 'report/meshing.js'
import { Names } from 'report/names.js'
import { addScenery, SCENERY } from 'report/scenery.js'
import { Steering } from 'report/steering.js'
import { SIDE, Voxels } from 'report/voxels.js'
import { apart } from 'report/walk.js'

const NEAR_PIXELS = 24
/** Agents are enlarged to at least about twice this fraction of the picture's height. */
const SMALLEST = 0.022
/**
 * If the interval between frames exceeds this many milliseconds, resolution is lowered during
 * movement.
 */
const SLOW_MS = 36
const FEWEST_PIXELS = 0.5
/** Names of renderers that draw with the processor. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i
/** A frame at full resolution is drawn after this many milliseconds without a change. */
const STILL_MS = 200
/** Time limit per frame for rebuilding meshes, in milliseconds. */
const BUILDING_MS = 30
/** The same for the first frame, so that the ground appears whole. */
const FIRST_MS = 1500
/**
 * Size in blocks of the area around agents that the initial view of natural land covers; ignores
 * distant agents.
 */
const AROUND = 14
const FAR = 60
/** Distance in blocks between figures that stand at one spot, and within one cell of a grid. */
const [WIDTH, IN_A_CELL] = [0.9, 0.4]

/** @typedef {import('./bodies.js').There} There */
/** @typedef {{solid: import('./graphics.js').Stored | null, clear: import('./graphics.js').Stored | null}} Drawn */

export class Scene {
  camera = new Camera()
  /** Blocks above this height are hidden. */ cut = Infinity
  /** @type {Graphics | null} */ #graphics = null
  /** @type {Voxels | null} */ #voxels = null
  /** @type {Map<string, Drawn>} */ #meshes = new Map()
  /** @type {Drawn} */ #plains = { solid: null, clear: null }
  /** Where the plains are stored. @type {Graphics | null} */ #stored = null
  /** @type {Set<string>} */ #dirty = new Set()
  /** @type {import('./pack.js').Pack | null} */ #pack = null
  #drawnT = 0
  #t = 0
  #selected = -1
  #isWaiting = false
  /** Fraction of the screen's pixels drawn. */ #sharpness = 1
  #still = 0
  #began = 0

  /** @param {import('./model.js').Model} model @param {(agent: number) => void} onSelect -1: none */
  constructor(model, onSelect) {
    this.model = model
    this.onSelect = onSelect
    this.canvas = /** @type {HTMLCanvasElement} */ (byId('scene3d'))
    this.names = new Names(model, () => this.redraw())
    this.steering = new Steering(this)
    new ResizeObserver(() => this.redraw()).observe(this.canvas)
    this.canvas.addEventListener('webglcontextlost', () => this.#forget())
  }

  /** True if this browser supports the 3D view; checked once. */
  get isPossible() {
    try {
      this.#graphics ??= this.#started()
      return true
    } catch {
      return false
    }
  }

  #started() {
    const graphics = new Graphics(this.canvas)
    graphics.dress(this.#pack)
    return graphics
  }

  /** @type {boolean | undefined} */ #isFast

  /** True if a graphics card draws the 3D view, not the processor; checked once. */
  get isFast() {
    return (this.#isFast ??= this.#hasCard())
  }

  #hasCard() {
    const gl = document.createElement('canvas').getContext('webgl2')
    const named = gl?.getExtension('WEBGL_debug_renderer_info')
    const renderer = gl?.getParameter(named?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER)
    gl?.getExtension('WEBGL_lose_context')?.loseContext()
    return gl !== null && !SOFTWARE.test(renderer)
  }

  #forget() {
    this.#graphics = null
    this.#voxels = null
    this.#meshes.clear()
  }

  get isShown() {
    return !this.canvas.hidden
  }

  /** Minimum and maximum height of blocks. @returns {[number, number]} */
  get heights() {
    const { lowest, highest } = this.#world()
    return lowest <= highest ? [lowest, highest] : [0, 1]
  }

  /** Number of plants omitted because there are too many to draw. */
  get leftOut() {
    return this.#world().leftOut
  }

  /** Show the whole world. */
  whole() {
    const { low, high } = this.#bounds()
    const { clientWidth, clientHeight } = this.canvas
    this.camera.frame(low, high, clientWidth / Math.max(1, clientHeight))
    this.redraw()
  }

  /** @param {number} agent -1: none */
  select(agent) {
    this.#selected = agent
    const at = agent < 0 ? null : this.#feet(agent)
    if (at) this.camera.target = [at[0], at[1] + 1, at[2]]
    this.redraw()
  }

  /** Draw the world at a moment. @param {number} t */
  draw(t) {
    this.#t = t
    const at = this.#selected < 0 ? null : this.#feet(this.#selected)
    if (at && !matchMedia('(prefers-reduced-motion: reduce)').matches)
      this.camera.target = [at[0], at[1] + 1, at[2]]
    this.redraw()
  }

  /** Draw soon; several requests result in one frame. */
  redraw() {
    if (this.#isWaiting || !this.isShown) return
    this.#isWaiting = true
    requestAnimationFrame(() => {
      this.#isWaiting = false
      if (this.isShown) this.#paint()
    })
    clearTimeout(this.#still)
    if (this.#sharpness < 1) this.#still = setTimeout(() => this.#paintSharply(), STILL_MS)
  }

  #paintSharply() {
    this.#sharpness = 1
    this.#paint()
  }

  /** Return the blocks of the world at the shown moment. */
  #world() {
    const world = this.model.world(this.#t)
    const known = this.#voxels
    if (known && known.world === world && this.#stored === this.#graphics) return known
    this.#stored = this.#graphics
    const voxels = new Voxels(this.model, world)
    this.#voxels = voxels
    for (const drawn of this.#meshes.values()) this.#drop(drawn)
    this.#meshes.clear()
    this.#drop(this.#plains)
    const plains = plainMesh(voxels)
    addScenery(plains, world, this.model.growth(world))
    this.#plains = { solid: this.#graphics?.store(plains) ?? null, clear: null }
    this.#dirty = new Set(voxels.chunks.keys())
    if (this.camera.isFramed && this.#selected < 0) this.whole()
    return voxels
  }

  /** @param {Drawn} drawn */
  #drop({ solid, clear }) {
    this.#graphics?.forget(solid)
    this.#graphics?.forget(clear)
  }

  /** Handle newly received data of the run. */
  grown() {
    for (const chunk of this.#voxels?.grow() ?? []) this.#dirty.add(chunk)
    this.redraw()
  }

  /** Use the textures of a pack. @param {import('./pack.js').Pack} pack */
  dress(pack) {
    this.#pack = pack
    this.#graphics?.dress(pack)
    dress(pack)
    this.#voxels = null
    this.redraw()
  }

  /** Hide blocks above a height. @param {number} height */
  slice(height) {
    this.cut = height
    this.#dirty = new Set(this.#voxels?.chunks.keys())
    this.redraw()
  }

  // --- Frames ------------------------------------------------------------------------------------

  #paint() {
    if (!this.isPossible || !this.#graphics) return
    const began = performance.now()
    const voxels = this.#world()
    this.#update(voxels)
    const { clientWidth: width, clientHeight: height } = this.canvas
    if (!width) return
    const scale = this.#sharpness * (window.devicePixelRatio || 1)
    const [wide, tall] = [Math.round(width * scale), Math.round(height * scale)]
    if (this.canvas.width !== wide || this.canvas.height !== tall)
      Object.assign(this.canvas, { width: wide, height: tall })
    const there = this.#there()
    const graphics = this.#graphics
    const view = this.camera.look(width, height)
    graphics.begin(view, coloured(styled('--sky')))
    const bodies = graphics.store(
      bodiesOf(this.model, there, { t: this.#t, selected: this.#selected, scale: this.#scale() }),
      true
    )
    const drawn = this.#inView(view)
    graphics.draw(this.#plains.solid)
    for (const { solid, faces } of drawn) graphics.draw(solid, faces)
    graphics.draw(bodies)
    graphics.drawHidden(bodies)
    graphics.seeThrough()
    for (const { clear, faces } of drawn) graphics.draw(clear, faces)
    graphics.forget(bodies)
    const [t, isWhole] = [this.#t, this.#sharpness === 1 && !this.#dirty.size]
    this.names
      .draw({
        ...{ there, t, selected: this.#selected, scale: this.#scale() },
        ...{ camera: this.camera, world: voxels.world, isStacked: voxels.isStacked }
      })
      .then(() => isWhole && (this.canvas.dataset.shown = String(t)))
    this.#pace(began)
  }

  /** Return the chunks that may be in view, with their visible sides. @param {Float32Array} view */
  #inView(view) {
    const [bottom, top] = this.heights
    const { eye } = this.camera
    return [...this.#meshes].flatMap(([name, drawn]) => {
      const [x, z] = name.split(',').map((part) => Number(part) * SIDE)
      const [low, high] = [at3(x, bottom - 1, z), at3(x + SIDE, top + 1, z + SIDE)]
      if (!isInView(view, low, high)) return []
      const sides = facing(eye, low, high)
      return [{ ...drawn, faces: (/** @type {number} */ side) => sides[side] }]
    })
  }

  /**
   * Lower the resolution if frames are slow.
   * @param {number} began start of this frame, in milliseconds
   */
  #pace(began) {
    const gap = began - this.#began
    this.#began = began
    if (gap > STILL_MS) return // the last frame stayed unchanged for a while
    if (gap > SLOW_MS) this.#sharpness = Math.max(FEWEST_PIXELS, this.#sharpness * 0.9)
    else if (gap < SLOW_MS * 0.6) this.#sharpness = Math.min(1, this.#sharpness * 1.05)
  }

  /**
   * Rebuild changed chunks, nearest first; when the time limit is reached, continue in the next
   * frame.
   * @param {Voxels} voxels
   */
  #update(voxels) {
    for (const name of voxels.changedBetween(this.#drawnT, this.#t)) this.#dirty.add(name)
    this.#drawnT = this.#t
    const began = performance.now()
    const isFirst = !this.#meshes.size
    for (const name of this.#nearestFirst()) {
      this.#dirty.delete(name)
      const chunk = voxels.chunks.get(name)
      const before = this.#meshes.get(name)
      if (before) this.#drop(before)
      if (!chunk) continue
      const { solid, clear } = meshOf(voxels, chunk, this.#t, this.cut)
      const store = (/** @type {import('./meshing.js').Mesh} */ mesh) =>
        this.#graphics?.store(mesh) ?? null
      this.#meshes.set(name, { solid: store(solid), clear: store(clear) })
      if (performance.now() - began > (isFirst ? FIRST_MS : BUILDING_MS)) break
    }
    if (this.#dirty.size) this.redraw()
  }

  #nearestFirst() {
    const [x, , z] = this.camera.target
    const away = (/** @type {string} */ name) => {
      const [cx, cz] = name.split(',').map(Number)
      return Math.hypot((cx + 0.5) * SIDE - x, (cz + 0.5) * SIDE - z)
    }
    return [...this.#dirty].sort((one, other) => away(one) - away(other))
  }

  /** Return the size of agents, which are enlarged at a distance. */
  #scale() {
    return Math.max(1, this.camera.size * SMALLEST)
  }

  /** @param {number} agent @returns {[number, number, number] | null} */
  #feet(agent) {
    const at = this.model.place(agent, this.#t)
    if (!at) return null
    const { isStacked, world } = this.#world()
    const shift = this.model.middle(world)
    return [at[0] + shift, isStacked ? 0 : at[1], at[2] + shift]
  }

  /** Return the agents in the world, without those above the cut height. @returns {There[]} */
  #there() {
    const there = [...this.model.agents.keys()].flatMap((agent) => {
      const at = this.#feet(agent)
      return at && at[1] <= this.cut + 1 ? [{ agent, at }] : []
    })
    const gap = this.#world().isCells ? IN_A_CELL : WIDTH * this.#scale()
    const places = apart(
      there.map(({ at }) => at),
      gap
    )
    return there.map(({ agent }, k) => ({ agent, at: places[k] }))
  }

  /**
   * Return the initial view: the built area if there is one; otherwise, on flat land the area that
   * agents cover, and in natural land their surroundings.
   */
  #bounds() {
    const voxels = this.#world()
    const [bottom, top] = this.heights
    const { ground } = voxels.world
    if (ground.length) {
      const isBuilt = ground.some((/** @type {any[]} */ [block]) => block !== 'land')
      const near = this.model.extent(voxels.world)
      const { west, east, north, south } = isBuilt || near.west > near.east ? voxels.bounds() : near
      const growth = isBuilt ? 0 : this.model.growth(voxels.world)
      const [margin, high] = [SCENERY.margin * growth, bottom + SCENERY.height * growth]
      return {
        low: at3(west - margin, bottom, north - margin),
        high: at3(east + margin, isBuilt ? Math.min(top, bottom + 5) : high, south + margin)
      }
    }
    const places = this.#there().map(({ at }) => at)
    const [x, y, z] = [0, 1, 2].map((k) => median(places.map((at) => at[k])))
    const away = places.map((at) => Math.max(Math.abs(at[0] - x), Math.abs(at[2] - z)))
    const wide = AROUND + away.filter((far) => far < FAR).reduce((a, b) => Math.max(a, b), 0)
    return { low: at3(x - wide, y, z - wide), high: at3(x + wide, y + 2, z + wide) }
  }

  /** Select the agent at a point in the picture. @param {number} x @param {number} y */
  pick(x, y) {
    let [best, distance] = [-1, NEAR_PIXELS]
    for (const [agent, [left, top]] of this.names.shown) {
      const away = Math.hypot(left - x, top + 12 - y)
      if (away < distance) [best, distance] = [agent, away]
    }
    this.onSelect(best)
  }
}

/** @param {number} x @param {number} y @param {number} z @returns {[number, number, number]} */
const at3 = (x, y, z) => [x, y, z]

/** @param {number[]} values */
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
