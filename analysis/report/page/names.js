/** Labels above agents: names, items, actions and speech. */

import { most } from 'report/bodies.js'
import { byId, sharp } from 'report/elements.js'
import { BUTTONS_END, bubble, label, Room, shortened } from 'report/marks.js'
import { sayings } from 'report/sayings.js'

/**
 * If there are more agents than this, only the selected agent is labelled; otherwise labels may
 * omit items.
 */
const MOST_NAMES = 60
const MOST_DETAILED = 12
/** Maximum number of item kinds in a label. */
const MOST_HELD = 3
const TASK = ['task_started', 'task_ended']
/** Actions that labels show, by event kind, and how many seconds each stays visible. */
const ACTS = [
  ...[
    'action_done',
    'block_dug',
    'block_placed',
    'block_used',
    'container_moved',
    'item_collected'
  ],
  ...['ledger', 'apple_eaten', 'river_cleaned', 'zap_fired', 'plan_ended', 'code_failed']
]
const RECENT_S = 10
/** Height of a line of text in pixels, and height of the figure below it in blocks. */
const LINE = 14
const TALL = 2.1
/** Distance in pixels between a head and the bottom of a bubble below the agent. */
const UNDER = 58

/**
 * State of a picture: agents, moment, and camera.
 * @typedef {{there: import('./bodies.js').There[], t: number, selected: number, scale: number, camera: import('./camera.js').Camera, world: any, isStacked: boolean}} Picture
 */
/** @typedef {{pen: CanvasRenderingContext2D, width: number}} Sheet */

export class Names {
  /** Agents' positions in the picture. @type {Map<number, [number, number]>} */ shown = new Map()
  #room = new Room()
  /** Agents' actions, by row of the record. @type {Map<number, string>} */ #doing = new Map()
  #drawing = 0

  /**
   * @param {import('./model.js').Model} model
   * @param {() => void} onKnown called when more data is available
   */
  constructor(model, onKnown) {
    this.model = model
    this.onKnown = onKnown
    this.canvas = /** @type {HTMLCanvasElement} */ (byId('labels'))
  }

  /**
   * Draw the labels; resolves when all are drawn.
   * @param {Picture} picture @returns {Promise<void>}
   */
  draw(picture) {
    const { there, t, selected, scale, camera, world, isStacked } = picture
    const sheet = sharp(this.canvas)
    this.shown.clear()
    this.#room = new Room()
    const isDetailed = there.length <= MOST_DETAILED
    for (const [name, [x, y, z]] of Object.entries(world.places)) {
      const point = camera.project([x, isStacked ? 0.5 : y, z])
      const at = point && /** @type {[number, number]} */ ([point[0], point[1]])
      if (at) this.#room.label(sheet.pen, `◇ ${name}`, [[at[0], at[1] + LINE], at], true)
    }
    for (const { agent, at } of there) {
      const point = camera.project([at[0], at[1] + TALL * scale, at[2]])
      if (!point) continue
      this.shown.set(agent, [point[0], point[1]])
      const isChosen = agent === selected
      if (there.length > MOST_NAMES && !isChosen) continue
      const lines = [shortened(this.model.agents[agent])]
      if (isDetailed || isChosen) lines.push(this.#goods(agent, t), this.#deed(agent, t))
      const must = isDetailed || isChosen
      this.#write(sheet, lines.filter(Boolean), [point[0], point[1]], must)
    }
    return this.#bubbles(sheet, picture, isDetailed ? 48 : 20)
  }

  /**
   * Write lines above a point, below the buttons. If they overlap other labels, move them or write
   * only the first line; if no position is free, write nothing unless `must` is true.
   * @param {Sheet} sheet @param {string[]} lines @param {[number, number]} point
   * @param {boolean} must
   */
  #write({ pen, width }, lines, [x, y], must) {
    pen.font = '12px system-ui'
    const name = lines.slice(0, 1)
    const places = [0, 0, -1, -2, 1, 2, 3].map((lower, k) => {
      const shown = k === 0 ? lines : name
      const half = Math.max(...shown.map((line) => pen.measureText(line).width)) / 2
      const middle = Math.max(half + 2, Math.min(x, width - half - 2))
      const highest = BUTTONS_END + LINE * (shown.length + Math.max(0, lower))
      const bottom = Math.max(y - 4 + LINE * lower, highest)
      const box = /** @type {[number, number, number, number]} */ ([
        middle - half,
        bottom - LINE * shown.length + 3,
        middle + half,
        bottom + 3
      ])
      return { shown, middle, bottom, box }
    })
    const place = places.find(({ box }) => this.#room.isFree(...box)) ?? (must ? places[1] : null)
    if (!place) return
    const { shown, middle, bottom, box } = place
    shown.toReversed().forEach((line, k) => label(pen, line, middle, bottom - LINE * k))
    this.#room.take(...box)
  }

  /** @param {number} agent @param {number} t */
  #goods(agent, t) {
    const held = most(this.model.holds(agent, t)).slice(0, MOST_HELD)
    return held.map(([item, count]) => `${count} ${item.replaceAll('_', ' ')}`).join(', ')
  }

  /**
   * Return an agent's current task, or else its last action, once its text is unpacked.
   * @param {number} agent @param {number} t
   */
  #deed(agent, t) {
    const { model } = this
    const task = model.newest(TASK, agent, t)
    const row = task < 0 ? model.newest(ACTS, agent, t, t - RECENT_S) : task
    if (row < 0) return ''
    const known = this.#doing.get(row)
    if (known !== undefined) return known
    this.#doing.set(row, '')
    model.told(row).then((told) => {
      this.#doing.set(row, doing(told))
      this.onKnown()
    })
    return ''
  }

  /**
   * @param {Sheet} sheet @param {Picture} picture
   * @param {number} above offset above heads, in pixels
   */
  async #bubbles({ pen, width }, { t, selected }, above) {
    const drawing = ++this.#drawing
    const told = await sayings(this.model, t, new Set(this.shown.keys()), selected)
    if (drawing !== this.#drawing) return // another picture has been drawn meanwhile
    const room = new Room()
    for (const { text, agent } of told) {
      const at = this.shown.get(this.model.agents.indexOf(agent ?? ''))
      if (at) bubble(pen, text, at[0], [at[1] - above, at[1] + UNDER], width, room)
    }
  }
}

/**
 * Return a few words about an agent's action; empty if its task is over.
 * @param {import('./model.js').Told} told
 */
function doing({ kind, text }) {
  if (kind === 'task_ended') return ''
  return kind === 'task_started'
    ? `▶ ${shortened(text.replace(/^tries: /, ''))}`
    : shortened(text.replace("server's ledger: ", '').replaceAll('_', ' '))
}
