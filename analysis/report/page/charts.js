/**
 * Charts over time that mark the shown moment: items held, converts, and further series in the
 * record.
 */

import { byId, clock, colour, el, moments, sharp, styled } from 'report/elements.js'
import { directness } from 'report/marks.js'
import { stock } from 'report/stock.js'

const MOST_SERIES = 12
/** Minimum number of item kinds for the chart of kinds to be shown. */
const FEW_KINDS = 4
const MARGIN = { left: 44, right: 10, top: 8, bottom: 22 }

/** The shown moment, the ends of the time axis, and starts of episodes. @typedef {{t: number, start: number, end: number, episodes: number[]}} Time */
/** @typedef {{title: string, series: Map<string, [number, number][]>, steps: boolean}} Chart */

export class Charts {
  #agent = -1
  #t = 0
  /** @type {import('./model.js').Episode[]} */ episodes = []
  /** @type {{chart: Chart, canvas: HTMLCanvasElement}[]} */ #drawn = []

  /** @param {import('./model.js').Model} model */
  constructor(model) {
    this.model = model
    this.box = byId('charts')
    new ResizeObserver(() => this.draw(this.#t)).observe(this.box)
  }

  /** @param {number} agent -1: all agents together */
  select(agent) {
    this.#agent = agent
  }

  /** Rebuild the charts from the current data. @param {number} t */
  build(t) {
    this.#drawn = this.#all().map((chart) => ({ chart, canvas: el('canvas', { height: 200 }) }))
    this.box.replaceChildren(
      ...this.#drawn.map(({ chart, canvas }) =>
        el(
          'figure',
          {},
          el('figcaption', {}, chart.title),
          canvas,
          legend(chart, shadesOf(chart, this.model.agents))
        )
      )
    )
    if (!this.#drawn.length) this.box.append(el('p.none', {}, 'This run has no data over time.'))
    this.draw(t)
  }

  /** @param {number} t */
  draw(t) {
    this.#t = t
    const { agents, start, end } = this.model
    const time = { t, start, end, episodes: this.episodes.slice(1).map((one) => one.t) }
    for (const { chart, canvas } of this.#drawn) draw(chart, shadesOf(chart, agents), canvas, time)
  }

  /** @returns {Chart[]} */
  #all() {
    const { model } = this
    const found = []
    const held = model.holdings(this.#agent)
    const who = this.#agent < 0 ? 'all agents together' : model.agents[this.#agent]
    if (held.size) found.push({ title: `Items held, ${who}`, series: most(held), steps: true })
    const kinds = this.#kinds()
    if (kinds.size)
      found.push({
        title: 'Kinds of items held so far, by agent',
        series: most(kinds),
        steps: true
      })
    const blocks = stock(model)
    if (blocks.size)
      found.push({ title: 'Blocks and piles in the world', series: most(blocks), steps: true })
    if (model.levels.length) {
      found.push({
        title: 'Converts (without priests)',
        series: this.#converts(),
        steps: true
      })
    }
    for (const [title, series] of model.points)
      found.push({ title, series: most(series), steps: false })
    return found
  }

  /** Return the number of item kinds that each agent has had; empty if the numbers are trivial. */
  #kinds() {
    const { model } = this
    const shown = this.#agent < 0 ? [...model.agents.keys()] : [this.#agent]
    /** @type {Map<string, [number, number][]>} */
    const series = new Map()
    for (const agent of shown) {
      const firsts = [...model.holdings(agent).values()]
        .map((points) => points.find(([, count]) => count > 0)?.[0] ?? Infinity)
        .filter(Number.isFinite)
        .sort((a, b) => a - b)
      if (firsts.length < FEW_KINDS) continue
      series.set(model.agents[agent], [
        [0, 0],
        ...firsts.map((t, k) => /** @type {[number, number]} */ ([t, k + 1]))
      ])
    }
    return series
  }

  /** Return the number of agents that are now indirect and direct converts. */
  #converts() {
    /** @type {Map<string, [number, number][]>} */
    const series = new Map([1, 2].map((level) => [directness(level), []]))
    /** @type {Map<number, string>} */
    const converts = new Map()
    const count = (/** @type {number} */ t) => {
      const now = [...converts.values()]
      for (const [name, points] of series)
        points.push([t, now.filter((level) => level === name).length])
    }
    for (const [episode, start] of this.model.starts.entries()) {
      converts.clear()
      count(Math.max(0, start.t))
      for (const { t, agent, level, believed } of this.model.ofEpisode('levels', episode)) {
        if (believed) continue
        converts.set(agent, directness(level))
        count(t)
      }
    }
    return series
  }
}

/** Return the series with the highest values. @param {Map<string, [number, number][]>} series */
function most(series) {
  const height = (/** @type {[number, number][]} */ points) =>
    points.reduce((top, [, y]) => Math.max(top, Math.abs(y)), 0)
  const sorted = [...series].sort(([, a], [, b]) => height(b) - height(a))
  return new Map(sorted.slice(0, MOST_SERIES))
}

/** @param {Chart} chart @param {string[]} shades */
function legend({ series }, shades) {
  return el(
    'div.legend',
    {},
    ...[...series.keys()].map((name, k) =>
      el('span.key', {}, el('i', { style: `background:${shades[k]}` }), name.replaceAll('_', ' '))
    )
  )
}

/**
 * Return the colours of a chart's curves; each agent keeps its usual colour.
 * @param {Chart} chart @param {string[]} agents
 */
function shadesOf({ series }, agents) {
  return [...series.keys()].map((name, k) =>
    colour(agents.includes(name) ? agents.indexOf(name) : k)
  )
}

/**
 * @param {Chart} chart @param {string[]} shades @param {HTMLCanvasElement} canvas @param {Time} time
 */
function draw({ series, steps }, shades, canvas, time) {
  const { t, start, end } = time
  const { pen, width, height } = sharp(canvas)
  if (!width) return
  const all = [...series.values()].flat().map(([, y]) => y)
  const low = all.reduce((least, y) => Math.min(least, y), 0)
  const high = all.reduce((top, y) => Math.max(top, y), low + 1)
  const { left, right, top, bottom } = MARGIN
  const x = (/** @type {number} */ at) =>
    left + ((Math.max(at, start) - start) / (end - start || 1)) * (width - left - right)
  const y = (/** @type {number} */ v) =>
    height - bottom - ((v - low) / (high - low)) * (height - top - bottom)
  axes(pen, { x, y, low, high, width, top }, time)
  let k = 0
  for (const points of series.values()) {
    pen.strokeStyle = pen.fillStyle = shades[k++]
    pen.lineWidth = 1.5
    pen.beginPath()
    points.forEach(([at, value], i) => {
      if (steps && i) pen.lineTo(x(at), y(points[i - 1][1]))
      if (i) pen.lineTo(x(at), y(value))
      else pen.moveTo(x(at), y(value))
    })
    if (steps && points.length) pen.lineTo(x(end), y(points[points.length - 1][1]))
    pen.stroke()
    if (!steps) points.forEach(([at, value]) => pen.fillRect(x(at) - 2, y(value) - 2, 4, 4))
  }
  pen.fillStyle = styled('--ink')
  pen.fillRect(x(t), top, 1, height - top - bottom)
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {{x: (t: number) => number, y: (v: number) => number, low: number, high: number, width: number, top: number}} scales
 * @param {Time} time
 */
function axes(pen, { x, y, low, high, width, top }, { start, end, episodes }) {
  pen.font = '11px system-ui'
  pen.fillStyle = styled('--faint')
  pen.textAlign = 'right'
  for (const value of ticks(low, high)) {
    pen.globalAlpha = 0.3
    pen.fillRect(MARGIN.left, y(value), width - MARGIN.left - MARGIN.right, 1)
    pen.globalAlpha = 1
    pen.fillText(String(Number(value.toPrecision(4))), MARGIN.left - 6, y(value) + 4)
  }
  pen.textAlign = 'center'
  for (const at of moments(start, end, width - MARGIN.left - MARGIN.right)) {
    const text = clock(at).replace(/\.0$/, '')
    const middle = Math.min(x(at), width - pen.measureText(text).width / 2)
    pen.fillText(text, middle, y(low) + 16)
  }
  pen.fillStyle = styled('--line')
  for (const at of episodes) pen.fillRect(x(at), top, 1, y(low) - top)
}

/** Return about four round numbers in a range. @param {number} low @param {number} high */
function ticks(low, high) {
  const rough = (high - low) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? rough
  const found = []
  const first = Math.ceil(low / step) * step
  // Count the steps, because a step may be too small to change a large value by addition.
  for (let k = 0; k < 10 && first + k * step <= high + 1e-9; k++) found.push(first + k * step)
  return found
}
