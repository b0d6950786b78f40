/** Map of the world at one moment: buildings, positions and trails of agents, speech. */

import { byId, clock, el, sharp, styled } from 'report/elements.js'
import { blockColour, formOf } from 'report/blocks.js'
import { LandMap } from 'report/land.js'
import {
  BUTTONS_END,
  bubble,
  directness,
  lettered,
  levelColour,
  NUMBERED_PIXELS,
  Room,
  shadesAt,
  shortened
} from 'report/marks.js'
import { coloured } from 'report/meshing.js'
import { APART } from 'report/model.js'
import { MANY, sayings } from 'report/sayings.js'
import { addScenery, SCENERY } from 'report/scenery.js'
import { standing, stock } from 'report/stock.js'
import { apart } from 'report/walk.js'

const TRAIL_S = 20
const MOST_NAMES = 60
/** Up to this many agents are always labelled, even if labels overlap. */
const FEW = 12
const NEAR_PIXELS = 14
/** Width of a digit on a square. */
const DIGIT_PIXELS = 6
/** Maximum distance in blocks between two samples of a walk; anything longer is a teleport. */
const FARTHEST_WALK = 16
/** Zoom factor per key or button press, and distance moved per arrow key in pixels. */
const ZOOM = 1.25
const STEP_PIXELS = 40
const ARROWS = /** @type {Record<string, [number, number]>} */ ({
  ArrowLeft: [1, 0],
  ArrowRight: [-1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1]
})
/** Maximum number of agents whose positions are described in words. */
const MOST_DESCRIBED = 12
export class WorldMap {
  /** The view that a person chose. @type {{x: number, y: number, scale: number} | null} */ #view =
    null
  /** @type {number} */ #selected = -1
  #t = 0
  #drawing = 0
  /** Drawn places of agents, in pixels. @type {Map<number, [number, number]>} */ #drawn = new Map()
  /** Numbers of blocks over time, where they change. */ #stock =
    /** @type {ReturnType<typeof stock>} */ (new Map())
  /** Positions of fingers, by pointer. @type {Map<number, [number, number]>} */ #fingers =
    new Map()

  /** @param {import('./model.js').Model} model @param {(agent: number) => void} onSelect -1: none */
  constructor(model, onSelect) {
    this.model = model
    this.canvas = /** @type {HTMLCanvasElement} */ (byId('map'))
    this.land = new LandMap(model)
    this.onSelect = onSelect
    this.canvas.addEventListener('wheel', (event) => this.#wheel(event), { passive: false })
    this.canvas.addEventListener('pointerdown', (event) => this.#press(event))
    this.canvas.addEventListener('keydown', (event) => this.#key(event))
    this.canvas.addEventListener('dblclick', () => this.whole())
    new ResizeObserver(() => this.draw(this.#t)).observe(this.canvas)
  }

  /** Handle newly received data of the run. */
  grown() {
    this.#stock = stock(this.model)
  }

  /** Show the whole map. */
  whole() {
    this.#view = null
    this.draw(this.#t)
  }

  /** @param {number} agent -1: none */
  select(agent) {
    this.#selected = agent
    this.draw(this.#t)
  }

  /** Draw the world at a moment. @param {number} t */
  draw(t) {
    this.#t = t
    if (this.canvas.hidden) return this.#describe(t)
    const sheet = sharp(this.canvas)
    if (!sheet.width) return
    const view = this.#view ?? this.#fit(sheet.width, sheet.height, t)
    const { pen } = sheet
    const place = (/** @type {number} */ x, /** @type {number} */ z) =>
      /** @type {[number, number]} */ ([view.x + x * view.scale, view.y + z * view.scale])
    const shift = this.model.middle(this.model.world(t))
    const body = (/** @type {number} */ x, /** @type {number} */ z) => place(x + shift, z + shift)
    this.#drawWorld(pen, place, view.scale, t)
    const room = new Room()
    const there = this.#drawAgents(pen, body, t, room)
    this.#drawPlaces(pen, place, t, room)
    this.#describe(t)
    this.#drawBubbles(sheet, there, t)
  }

  /** Describe the map in words. @param {number} t */
  #describe(t) {
    const there = this.model.agents.flatMap((name, agent) => {
      const at = this.model.position(agent, t)
      return at ? [`${name} at ${at.map(Math.round).join(', ')}`] : []
    })
    const agents = there.slice(0, MOST_DESCRIBED)
    const text = `Map at ${clock(t)}: ${agents.join('; ') || 'no agents'}`
    if (this.canvas.getAttribute('aria-label') !== text)
      this.canvas.setAttribute('aria-label', text)
  }

  /** @param {number} width @param {number} height @param {number} t */
  #fit(width, height, t) {
    const world = this.model.world(t)
    const built = arena(world)
    let { west, east, north, south } = built ?? this.model.extent(world, this.#selected)
    if (west > east) [west, east, north, south] = [0, 1, 0, 1]
    else if (!built && world?.ground.length) {
      const wide = SCENERY.margin * this.model.growth(world)
      ;[west, east, north, south] = [west - wide, east + wide, north - wide, south + wide]
    }
    const [margin, top] = [28, BUTTONS_END + 4]
    const scale = Math.min(
      (width - 2 * margin) / Math.max(east - west, 4),
      (height - top - margin) / Math.max(south - north, 4)
    )
    const x = width / 2 - ((west + east) / 2) * scale
    const middle = (top + height - margin) / 2
    return { x, y: middle - ((north + south) / 2) * scale, scale }
  }

  /**
   * @param {CanvasRenderingContext2D} pen @param {Place} place @param {number} scale
   * @param {number} t
   */
  #drawWorld(pen, place, scale, t) {
    this.land.draw(pen, place, scale)
    for (const [block, x0, z0, x1, z1] of this.model.ground(t)) {
      const [[left, top], [right, bottom]] =
        block === 'land' ? everywhere(pen) : [place(x0, z0), place(x1 + 1, z1 + 1)]
      pen.fillStyle = blockColour(block)
      const [x, z] = [Math.round(left), Math.round(top)] // without seams between rows
      pen.fillRect(x, z, Math.round(right) - x, Math.round(bottom) - z)
    }
    const world = this.model.world(t)
    const growth = this.model.growth(world)
    const box = (
      /** @type {number[]} */ low,
      /** @type {number[]} */ high,
      /** @type {string} */ block
    ) => {
      const [[left, top], [right, bottom]] = [place(low[0], low[2]), place(high[0], high[2])]
      const light = 0.85 + (0.05 * high[1]) / growth // higher parts are brighter
      const shade = coloured(blockColour(block)).map((part) => light * part)
      pen.fillStyle = `rgb(${shade})`
      pen.fillRect(left, top, right - left, bottom - top)
    }
    addScenery({ box }, world, growth)
    const size = Math.max(scale - (scale > 8 ? 2 : 0), 1)
    for (const { block, x, z, count } of standing(this.model, t)) {
      const [left, top] = place(x + 0.5, z + 0.5)
      pen.fillStyle = blockColour(block)
      for (const [dx, dz, wide, deep] of formOf(block, size / scale)) {
        const [x0, z0] = [dx - wide / 2, dz - deep / 2]
        pen.fillRect(left + scale * x0, top + scale * z0, scale * wide, scale * deep)
      }
      const number = String(count)
      if (count > 1 && size >= Math.max(NUMBERED_PIXELS, DIGIT_PIXELS * number.length))
        lettered(pen, number, left, top)
    }
  }

  /** @param {CanvasRenderingContext2D} pen @param {Place} place @param {number} t @param {Room} room */
  #drawPlaces(pen, place, t, room) {
    for (const [name, [x, , z]] of Object.entries(this.model.world(t).places)) {
      const [left, top] = place(x, z)
      pen.strokeStyle = styled('--ink')
      pen.strokeRect(left - 3, top - 3, 6, 6)
      const at = /** @type {[number, number][]} */ ([-8, 18, -22, 32].map((by) => [left, top + by]))
      room.label(pen, name, at, true)
    }
  }

  /** @param {CanvasRenderingContext2D} pen @param {Place} place @param {number} t @param {Room} room */
  #drawAgents(pen, place, t, room) {
    const { model } = this
    const shadeOf = shadesAt(model, t)
    const living = model.agents.flatMap((_, agent) => {
      const at = model.position(agent, t)
      return at ? [{ agent, at: place(...at) }] : []
    })
    const size = living.length > MANY ? 3 : 6
    const spread = apart(
      living.map(({ at }) => at),
      2 * size + 1
    )
    const there = new Map(living.map(({ agent }, k) => [agent, spread[k]]))
    this.#drawn = there
    for (const [agent, [x, y]] of there) {
      const shade = shadeOf(agent)
      if (there.size <= MANY || agent === this.#selected)
        this.#drawTrail(pen, place, agent, t, shade)
      pen.fillStyle = shade
      pen.beginPath()
      pen.arc(x, y, agent === this.#selected ? size + 3 : size, 0, 2 * Math.PI)
      pen.fill()
      pen.strokeStyle = agent === this.#selected ? styled('--ink') : '#fff'
      pen.stroke()
    }
    this.#writeNames(pen, there, size, room)
    return there
  }

  /**
   * Write names below or above agents. If there are many agents, write only the names that fit,
   * starting with the selected agent's.
   * @param {CanvasRenderingContext2D} pen @param {Map<number, [number, number]>} there
   * @param {number} size @param {Room} room
   */
  #writeNames(pen, there, size, room) {
    const chosen = this.#selected
    const named = [...there.keys()].filter((agent) => there.size <= MOST_NAMES || agent === chosen)
    const mustAll = there.size <= FEW
    for (const agent of named.toSorted((a, b) => Number(b === chosen) - Number(a === chosen))) {
      const [x, y] = there.get(agent) ?? [0, 0]
      const places = /** @type {[number, number][]} */ ([
        [x, y + size + 13],
        [x, y - size - 5],
        [x, y + size + 27]
      ])
      room.label(pen, shortened(this.model.agents[agent]), places, mustAll || agent === chosen)
    }
  }

  /**
   * @param {CanvasRenderingContext2D} pen @param {Place} place @param {number} agent
   * @param {number} t @param {string} shade
   */
  #drawTrail(pen, place, agent, t, shade) {
    const now = this.model.position(agent, t)
    if (!now) return
    // A step across a wrapping grid's edge, or a teleport, is not a walk.
    const longest = this.model.middle(this.model.world(t)) ? 1.5 : FARTHEST_WALK
    let last = now
    pen.strokeStyle = shade
    pen.globalAlpha = 0.4
    pen.lineWidth = 2
    pen.beginPath()
    pen.moveTo(...place(...now))
    for (const at of this.model.trail(agent, t - TRAIL_S, t)) {
      if (Math.hypot(at[0] - last[0], at[1] - last[1]) > longest) pen.moveTo(...place(...at))
      else pen.lineTo(...place(...at))
      last = at
    }
    pen.stroke()
    pen.globalAlpha = 1
    pen.lineWidth = 1
  }

  /** @param {Sheet} sheet @param {Map<number, [number, number]>} there @param {number} t */
  async #drawBubbles({ pen, width, height }, there, t) {
    const drawing = ++this.#drawing
    const visible = [...there].filter(([, [x, y]]) => x > 0 && x < width && y > 0 && y < height)
    const speakers = new Set(visible.map(([agent]) => agent))
    const told = await sayings(this.model, t, speakers, this.#selected)
    if (drawing !== this.#drawing) return // another moment has been drawn meanwhile
    const room = new Room()
    told.forEach(({ text, agent }) => {
      const [x, y] = there.get(this.model.agents.indexOf(agent ?? '')) ?? [0, 0]
      bubble(pen, text, x, [y - 14, y + 46], width, room)
    })
  }

  // --- Input -------------------------------------------------------------------------------------

  /**
   * Zoom with Ctrl, or if the map is focused; otherwise scroll the page.
   * @param {WheelEvent} event
   */
  #wheel(event) {
    if (!event.ctrlKey && document.activeElement !== this.canvas) return
    event.preventDefault()
    this.zoom(Math.exp(-event.deltaY / 400), [event.offsetX, event.offsetY])
  }

  /**
   * Zoom in if the factor is above 1.
   * @param {number} factor @param {[number, number]} [middle] point that stays in place
   */
  zoom(factor, middle) {
    const { clientWidth, clientHeight } = this.canvas
    const view = this.#view ?? this.#fit(clientWidth, clientHeight, this.#t)
    const [x, y] = middle ?? [clientWidth / 2, clientHeight / 2]
    const scale = view.scale * factor
    this.#view = { x: x - (x - view.x) * factor, y: y - (y - view.y) * factor, scale }
    this.draw(this.#t)
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const move = ARROWS[event.key]
    if (event.key === '+' || event.key === '=') this.zoom(ZOOM)
    else if (event.key === '-') this.zoom(1 / ZOOM)
    else if (event.key === '0') this.whole()
    else if (move) {
      const { clientWidth, clientHeight } = this.canvas
      const view = this.#view ?? this.#fit(clientWidth, clientHeight, this.#t)
      const [x, y] = [view.x + move[0] * STEP_PIXELS, view.y + move[1] * STEP_PIXELS]
      this.#view = { ...view, x, y }
      this.draw(this.#t)
    } else return
    event.preventDefault()
    event.stopPropagation()
  }

  /** Drag with one finger or the mouse, zoom with two fingers. @param {PointerEvent} down */
  #press(down) {
    this.#fingers.set(down.pointerId, [down.offsetX, down.offsetY])
    if (this.#fingers.size === 1) this.#drag(down)
    const move = (/** @type {PointerEvent} */ event) => {
      if (event.pointerId !== down.pointerId) return
      const before = this.#spread()
      this.#fingers.set(event.pointerId, [event.offsetX, event.offsetY])
      const [now, middle] = [this.#spread(), [...this.#fingers.values()][0]]
      if (before && now) this.zoom(now / before, middle)
    }
    const up = (/** @type {PointerEvent} */ event) => {
      if (event.pointerId !== down.pointerId) return
      this.#fingers.delete(event.pointerId)
      this.canvas.removeEventListener('pointermove', move)
      for (const end of ['pointerup', 'pointercancel'])
        window.removeEventListener(end, /** @type {any} */ (up))
    }
    this.canvas.addEventListener('pointermove', move)
    for (const end of ['pointerup', 'pointercancel'])
      window.addEventListener(end, /** @type {any} */ (up))
  }

  /** Return the distance between two fingers; 0 if there is only one. */
  #spread() {
    const [one, other] = [...this.#fingers.values()]
    return one && other ? Math.hypot(one[0] - other[0], one[1] - other[1]) : 0
  }

  /**
   * Drag the map; a click without movement selects the agent at that point.
   * @param {PointerEvent} down
   */
  #drag(down) {
    const { clientWidth, clientHeight } = this.canvas
    const start = this.#view ?? this.#fit(clientWidth, clientHeight, this.#t)
    const move = (/** @type {PointerEvent} */ event) => {
      const [dx, dy] = [event.clientX - down.clientX, event.clientY - down.clientY]
      if (Math.hypot(dx, dy) < 4 || this.#fingers.size > 1) return
      this.#view = { ...start, x: start.x + dx, y: start.y + dy }
      this.draw(this.#t)
    }
    const up = (/** @type {PointerEvent} */ event) => {
      window.removeEventListener('pointermove', move)
      const way = Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY)
      if (way < 4) this.onSelect(this.#nearest(down.offsetX, down.offsetY))
    }
    window.addEventListener('pointermove', move)
    window.addEventListener('pointerup', up, { once: true })
  }

  /** @param {number} x @param {number} y */
  #nearest(x, y) {
    let [best, distance] = [-1, NEAR_PIXELS]
    for (const [agent, [left, top]] of this.#drawn) {
      const away = Math.hypot(left - x, top - y)
      if (away < distance) [best, distance] = [agent, away]
    }
    return best
  }

  /** Show the colours on the map with their meanings. @param {number} t */
  legend(t) {
    const { blocks, ground } = this.model.world(t)
    const built = Object.keys(blocks)
    const named = [...new Set([...built, ...this.#stock.keys()])].map((block) => {
      const now = this.#stock.get(block)?.findLast(([at]) => at <= t)
      const name = block.replaceAll('_', ' ')
      // of natural land, only the changes are known
      return [now && ground.length ? `${name}: ${now[1]}` : name, blockColour(block)]
    })
    const levels = this.model.levels.length
      ? [1, 2].map((level) => {
          const has = this.model.levels.some((one) => one.level === level && one.believed)
          return [`${directness(level)} convert${has ? ' or priest' : ''}`, levelColour(level)]
        })
      : []
    const keys = [...named, ...levels].map(([name, shade]) =>
      el('span.key', {}, el('i', { style: `background:${shade}` }), name)
    )
    const far = this.#livingElsewhere(t)
    const note = `${far} people live in other villages. Choose an agent to see its village.`
    return far ? [...keys, el('span', {}, note)] : keys
  }

  /** Return the number of people in villages that are too far away to be shown. @param {number} t */
  #livingElsewhere(t) {
    const world = this.model.world(t)
    if (arena(world)) return 0
    const { west, east, north, south } = this.model.extent(world)
    return this.model.agents.filter((_, agent) => {
      const [x, z] = this.model.position(agent, t) ?? [west, north]
      return x < west - APART || x > east + APART || z < north - APART || z > south + APART
    }).length
  }
}

/** @typedef {(x: number, z: number) => [number, number]} Place */
/** @typedef {{pen: CanvasRenderingContext2D, width: number, height: number}} Sheet */

/**
 * Return the edges of the built area; null if the world is open land.
 * @param {any} world @returns {import('./walk.js').Box | null}
 */
function arena(world) {
  const built = (world?.ground ?? []).filter((/** @type {any[]} */ [block]) => block !== 'land')
  if (!built.length) return null
  return {
    west: Math.min(...built.map((/** @type {any[]} */ [, x]) => x)),
    east: Math.max(...built.map((/** @type {any[]} */ [, , , x]) => x + 1)),
    north: Math.min(...built.map((/** @type {any[]} */ [, , z]) => z)),
    south: Math.max(...built.map((/** @type {any[]} */ [, , , , z]) => z + 1))
  }
}

/**
 * Return the corners of the whole picture: open land has no end.
 * @param {CanvasRenderingContext2D} pen @returns {[number, number][]}
 */
const everywhere = ({ canvas }) => [
  [0, 0],
  [canvas.width, canvas.height]
]
