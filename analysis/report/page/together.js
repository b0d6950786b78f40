/** Interactions of agents up to a moment: conversions, gifts, hits, groups, counted actions. */

import { colour, el, sharp, styled, table } from 'report/elements.js'

/** @typedef {import('./model.js').Link} Link */

/**
 * Titles of links by kind, and the meaning of their counts.
 * @type {Record<string, [string, string]>}
 */
const KINDS = {
  conversion: ['Converts, and from whom they first heard the faith', 'level'],
  gift: ['Gifts', 'things'],
  trade: ['Items put into the market and taken out', 'things'],
  hit: ['Who hit whom', 'times']
}
/** Maximum number of names around a circle. */
const MOST_NAMES = 40
const MOST_ROWS = 200
/** Name shown if the source is unknown, and for the other side of a trade. */
const NOBODY = '(nobody)'
const MARKET = 'market'
/** @typedef {{from: string, to: string, count: number, items: Map<string, number>}} Pair */

/** A part of the page that follows the shown moment and the selected agent. */
class Following {
  #agent = /** @type {string | null} */ (null)
  #t = NaN
  box = el('div', {})

  /** @param {(t: number, agent: string | null) => Node[]} make */
  constructor(make) {
    this.make = make
  }

  /** @param {number} t */
  draw(t) {
    if (t === this.#t) return
    this.#t = t
    this.box.replaceChildren(...this.make(t, this.#agent))
    for (const canvas of this.box.querySelectorAll('canvas')) canvas.drawAgain?.()
  }

  /** @param {string | null} agent */
  async select(agent) {
    this.#agent = agent
    this.#t = NaN
  }
}

/** Show links of all kinds. @param {import('./model.js').Model} model */
export function linksPanel(model) {
  return new Following((t, agent) => {
    const until = model.links.filter((link) => link.t <= t)
    const parts = []
    for (const [kind, [title, counted]] of Object.entries(KINDS)) {
      if (!model.links.some(({ what }) => what === kind)) continue
      const found = pairs(model, until, kind).filter(
        ({ from, to }) => !agent || from === agent || to === agent
      )
      parts.push(el('h2', {}, title))
      if (!found.length) parts.push(el('p.none', {}, 'Nothing until now.'))
      else parts.push(graph(found, title), linked(found, counted))
    }
    return parts
  })
}

/** @param {Pair[]} found @param {string} counted */
function linked(found, counted) {
  const rows = found
    .slice(0, MOST_ROWS)
    .map(({ from, to, count, items }) => [from, to, count, told(items)])
  const hasItems = found.some(({ items }) => items.size)
  const head = ['from', 'to', counted, ...(hasItems ? ['what'] : [])]
  return table(
    head,
    rows.map((row) => row.slice(0, head.length))
  )
}

/** @param {Map<string, number>} items */
const told = (items) =>
  [...items].map(([item, count]) => `${count} ${item.replaceAll('_', ' ')}`).join(', ')

/**
 * Return totals between pairs, highest first; for conversions, each agent's highest level.
 * @param {import('./model.js').Model} model @param {Link[]} links @param {string} kind
 * @returns {Pair[]}
 */
function pairs(model, links, kind) {
  const isConversion = kind === 'conversion'
  const other = kind === 'trade' ? MARKET : NOBODY
  /** @type {Map<string, Pair>} */
  const found = new Map()
  for (const { what, from, to, count, item } of links) {
    if (what !== kind) continue
    const names = { from: model.agents[from] ?? other, to: model.agents[to] ?? other }
    const key = isConversion ? names.to : JSON.stringify([names.from, names.to])
    const known = found.get(key) ?? { ...names, count: 0, items: new Map() }
    if (item) known.items.set(item, (known.items.get(item) ?? 0) + count)
    if (!isConversion || known.from === NOBODY) known.from = names.from
    known.count = isConversion ? Math.max(known.count, count) : known.count + count
    found.set(key, known)
  }
  return [...found.values()].sort((a, b) => b.count - a.count)
}

/**
 * Draw arrows between agents arranged in a circle; the table below has the same content.
 * @param {Pair[]} found @param {string} title
 */
function graph(found, title) {
  const named = found.flatMap(({ from, to }) => [from, to]).filter((name) => name !== NOBODY)
  const names = [...new Set(named)].sort()
  const canvas = el('canvas.graph', {
    height: 320,
    role: 'img',
    'aria-label': `${title}: same content as the table below`
  })
  canvas.drawAgain = () => drawGraph(canvas, found, names)
  return canvas
}

/** @param {HTMLCanvasElement} canvas @param {Pair[]} found @param {string[]} names */
function drawGraph(canvas, found, names) {
  const { pen, width, height } = sharp(canvas)
  if (!width) return
  const [x0, y0] = [width / 2, height / 2]
  const radius = Math.max(40, Math.min(width / 2 - 90, height / 2 - 24))
  const around = names.filter((name) => name !== MARKET)
  const angle = new Map(around.map((name, k) => [name, (2 * Math.PI * k) / around.length]))
  const at = (/** @type {string} */ name, far = 1) => {
    const turn = angle.get(name)
    if (turn === undefined) return [x0, y0]
    return [x0 + radius * far * Math.cos(turn), y0 + radius * far * Math.sin(turn)]
  }
  const most = Math.max(...found.map(({ count }) => count))
  const tones = new Map(names.map((name, k) => [name, colour(k)]))
  for (const { from, to, count } of found.filter(({ from }) => from !== NOBODY)) {
    const [[ax, ay], [bx, by]] = [at(from), at(to, 0.97)]
    pen.strokeStyle = pen.fillStyle = tones.get(from) ?? styled('--ink')
    pen.lineWidth = 1 + (2 * count) / most
    pen.beginPath()
    pen.moveTo(ax, ay)
    pen.quadraticCurveTo((ax + bx + x0) / 3, (ay + by + y0) / 3, bx, by)
    pen.stroke()
    pen.beginPath()
    pen.arc(bx, by, 3, 0, 2 * Math.PI)
    pen.fill()
  }
  pen.fillStyle = styled('--ink')
  pen.font = '12px system-ui'
  if (names.length > MOST_NAMES) return
  for (const name of names) {
    const [x, y] = at(name, 1.05)
    pen.textAlign = x < x0 - 1 ? 'right' : 'left'
    pen.fillText(name, x, y + 4)
  }
}

/** Show groups with their members and shares. @param {import('./model.js').Model} model */
export function groupsPanel(model) {
  return new Following((t) => {
    /** @type {Map<number, Record<string, number>>} */
    const now = new Map()
    for (const { t: at, agent, groups } of model.groups) if (at <= t) now.set(agent, groups)
    /** @type {Map<string, [string, number][]>} */
    const members = new Map()
    for (const [agent, groups] of now)
      for (const [group, part] of Object.entries(groups)) {
        if (!members.has(group)) members.set(group, [])
        members.get(group)?.push([model.agents[agent], part])
      }
    const rows = [...members]
      .sort(([a], [b]) => Number(a) - Number(b))
      .map(([group, of]) => {
        const whole = of.reduce((sum, [, part]) => sum + part, 0)
        const shown = of.map(([name, part]) => `${name} ${percent(part, whole)}`).sort()
        return [`group ${group}`, of.length, shown.join(', ')]
      })
    const alone = [...now].filter(([, groups]) => !Object.keys(groups).length)
    const names = alone.map(([agent]) => model.agents[agent]).sort()
    return [
      el('h2', {}, "Groups, and each member's share of the earnings"),
      rows.length
        ? table(['group', 'members', 'parts'], rows)
        : el('p.none', {}, 'There are no groups now.'),
      ...(names.length ? [el('p', {}, `In no group: ${names.join(', ')}`)] : [])
    ]
  })
}

/** @param {number} part @param {number} whole */
const percent = (part, whole) => `${whole ? Math.round((100 * part) / whole) : 0} %`

/** Show each agent's counted actions. @param {import('./model.js').Model} model */
export function deedsPanel(model) {
  return new Following((t) => {
    const kinds = [...new Set(model.deeds.map(({ what }) => what))]
    /** @type {Map<number, Map<string, number>>} */
    const counts = new Map()
    for (const { t: at, agent, what, count } of model.deeds) {
      if (!counts.has(agent)) counts.set(agent, new Map())
      const own = counts.get(agent)
      if (at <= t) own?.set(what, (own.get(what) ?? 0) + count)
    }
    const rows = [...counts]
      .map(([agent, own]) => [model.agents[agent], ...kinds.map((kind) => own.get(kind) ?? 0)])
      .sort(([a], [b]) => String(a).localeCompare(String(b)))
    return [el('h2', {}, 'Actions of each agent until now'), table(['agent', ...kinds], rows)]
  })
}
