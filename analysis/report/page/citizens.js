/** A society's citizens: who has which role when, who gave what to whom, and what one knows of others. */

import { colour, el, sharp, styled, table } from 'report/elements.js'

const ROW = 14
const NAMES = 70
const NETWORK = 380
const MOST_ROWS = 60
/** Pairs that are listed below the network; profiles that a card shows, of so many last ones. */
const MOST_PAIRS = 20
const MOST_KNOWN = 8
const MOST_READ = 40
const MARKET = 'market'

/** @typedef {import('./model.js').Model} Model */
/** @typedef {{from: string, to: string, items: Map<string, number>, sum: number}} Pair */

/** How much there is to show: it is built anew when that grows. @param {Model} model */
export const countCitizens = (model) => model.roles.length + model.exchanges.length

/** The roles of citizens over time, and what changed hands. @param {Model} model */
export function citizens(model) {
  const parts = []
  if (model.roles.length) parts.push(rolesOverTime(model))
  if (model.exchanges.length) parts.push(network(model))
  return el('div.citizens', {}, ...parts)
}

/** What an agent wrote last of each other, the newest first. @param {Model} model
 * @param {number} agent @param {number} t @returns {Promise<string[]>} */
export async function othersKnown(model, agent, t) {
  const kind = model.kinds.findIndex(({ name }) => name === 'profile')
  const rows = []
  for (let row = model.rowsUntil(t) - 1; kind >= 0 && row >= 0 && rows.length < MOST_READ; row--)
    if (model.rows.agent.at(row) === agent && model.rows.kind.at(row) === kind) rows.push(row)
  /** @type {Map<string, string>} */
  const known = new Map()
  for (const { text } of await Promise.all(rows.map((row) => model.told(row)))) {
    const who = text.split(':')[0]
    if (!known.has(who)) known.set(who, text.replace(/^of /, ''))
  }
  return [...known.values()].slice(0, MOST_KNOWN)
}

// --- Roles ---------------------------------------------------------------------------------------

/** A row for each citizen, coloured by role. @param {Model} model */
function rolesOverTime(model) {
  const who = [...new Set(model.roles.map(({ agent }) => agent))]
  const shown = who.slice(0, MOST_ROWS)
  const count = new Map()
  for (const { role } of model.roles) count.set(role, (count.get(role) ?? 0) + 1)
  const names = [...count.keys()].sort((a, b) => count.get(b) - count.get(a))
  const canvas = el('canvas', {
    role: 'img',
    'aria-label': `roles of ${shown.length} citizens over time`,
    style: `height: ${shown.length * ROW + 4}px`
  })
  const marks = names.map((name, k) =>
    el('span', {}, el('i', { style: `background: ${colour(k)}` }), name)
  )
  const left = who.length - shown.length
  const figure = el(
    'figure',
    {},
    el('figcaption', {}, `Roles over time${left ? `, ${left} more citizens are not shown` : ''}`),
    canvas,
    el('div.legend', {}, ...marks)
  )
  whenWide(canvas, () => drawRoles(canvas, model, shown, names))
  return figure
}

/** @param {HTMLCanvasElement} canvas @param {Model} model @param {number[]} shown
 * @param {string[]} names */
function drawRoles(canvas, model, shown, names) {
  const { pen, width } = sharp(canvas)
  const start = Math.min(...model.roles.map(({ t }) => t))
  const scale = (width - NAMES) / Math.max(1, model.end - start)
  pen.textBaseline = 'middle'
  shown.forEach((agent, row) => {
    const own = model.roles.filter((one) => one.agent === agent)
    pen.fillStyle = styled('--ink')
    pen.fillText(model.agents[agent], 0, row * ROW + ROW / 2 + 2, NAMES - 6)
    own.forEach(({ t, role }, k) => {
      const until = own[k + 1]?.t ?? model.end
      pen.fillStyle = colour(names.indexOf(role))
      pen.fillRect(NAMES + (t - start) * scale, row * ROW + 2, (until - t) * scale, ROW - 2)
    })
  })
}

/** Draw once a canvas is on the page, and again when it is another width.
 * @param {HTMLCanvasElement} canvas @param {() => void} draw */
function whenWide(canvas, draw) {
  new ResizeObserver(() => canvas.clientWidth && draw()).observe(canvas)
}

// --- What changed hands ----------------------------------------------------------------------------

/** Who gave to whom, and what went to and from the market. @param {Model} model @returns {Pair[]} */
export function pairsOf(model) {
  /** @type {Map<string, Pair>} */
  const found = new Map()
  for (const { agent, to, item, count } of model.exchanges) {
    const [one, other] = [model.agents[agent], to < 0 ? MARKET : model.agents[to]]
    const [from, into] = count < 0 ? [other, one] : [one, other]
    const key = JSON.stringify([from, into])
    const pair = found.get(key) ?? { from, to: into, items: new Map(), sum: 0 }
    const name = model.items[item].replaceAll('_', ' ')
    pair.items.set(name, (pair.items.get(name) ?? 0) + Math.abs(count))
    pair.sum += Math.abs(count)
    found.set(key, pair)
  }
  return [...found.values()].sort((a, b) => b.sum - a.sum)
}

/** @param {Model} model */
function network(model) {
  const pairs = pairsOf(model)
  const everybody = [...new Set(pairs.flatMap(({ from, to }) => [from, to]))].sort()
  const people = everybody.filter((name) => name !== MARKET)
  const middle = NETWORK / 2
  const far = middle - 46
  const places = new Map(
    people.map((name, k) => {
      const angle = (2 * Math.PI * k) / people.length - Math.PI / 2
      return [name, [middle + far * Math.cos(angle), middle + far * Math.sin(angle)]]
    })
  )
  places.set(MARKET, [middle, middle])
  const most = Math.max(...pairs.map(({ sum }) => sum))
  const picture = drawing('svg', { viewBox: `0 0 ${NETWORK} ${NETWORK}`, role: 'img' })
  picture.setAttribute('aria-label', `what ${people.length} citizens gave each other`)
  for (const pair of pairs) picture.append(arrow(pair, places, most))
  for (const name of everybody) picture.append(node(name, places))
  const rows = pairs.slice(0, MOST_PAIRS).map(({ from, to, items }) => [from, to, told(items)])
  return el(
    'figure.network',
    {},
    el('figcaption', {}, 'What changed hands: gifts (orange), to and from the market (grey)'),
    picture,
    table(['from', 'to', 'what'], rows)
  )
}

/** @param {Map<string, number>} items */
const told = (items) => [...items].map(([item, count]) => `${count} ${item}`).join(', ')

/** @param {Pair} pair @param {Map<string, number[]>} places @param {number} most */
function arrow(pair, places, most) {
  const [[x, z], [u, w]] = [places.get(pair.from) ?? [0, 0], places.get(pair.to) ?? [0, 0]]
  const isTrade = pair.from === MARKET || pair.to === MARKET
  const [bendX, bendZ] = [(x + u) / 2 + (w - z) / 8, (z + w) / 2 + (x - u) / 8]
  const line = drawing('path', {
    d: `M ${x} ${z} Q ${bendX} ${bendZ} ${u} ${w}`,
    class: isTrade ? 'traded' : 'given',
    'stroke-width': 0.8 + (4 * pair.sum) / most
  })
  const title = drawing('title', {})
  title.textContent = `${pair.from} → ${pair.to}: ${told(pair.items)}`
  line.append(title)
  return line
}

/** @param {string} name @param {Map<string, number[]>} places */
function node(name, places) {
  const [x, z] = places.get(name) ?? [0, 0]
  const group = drawing('g', {})
  const word = drawing('text', { x, y: z - 7, 'text-anchor': 'middle' })
  word.textContent = name
  group.append(drawing('circle', { cx: x, cy: z, r: 4 }), word)
  return group
}

/** @param {string} name @param {Record<string, any>} fields */
function drawing(name, fields) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(fields)) made.setAttribute(key, String(value))
  return made
}
