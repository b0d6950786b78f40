/** A society's citizens: their roles over time, and their knowledge of others. */

import { colour, el, sharp, show, styled, table } from 'report/elements.js'
import { AtMoment } from 'report/together.js'

const ROW = 14
const NAMES = 70
const MOST_ROWS = 60
/** Maximum number of names beside a role. */
const MOST_NAMED = 8
/** Maximum number of profiles on a card, latest first. */
const MOST_KNOWN = 8
const MOST_READ = 40

/** @typedef {import('./model.js').Model} Model */

/**
 * Return what an agent last wrote about each other agent, newest first.
 * @param {Model} model @param {number} agent @param {number} t @returns {Promise<string[]>}
 */
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

/**
 * Count the citizens of each role at the shown moment, and draw a row per citizen, coloured by role.
 * @param {Model} model
 */
export function rolesOverTime(model) {
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
  const part = who.length > shown.length ? ` of ${shown.length} of ${show(who.length)} people` : ''
  const figure = el(
    'figure',
    {},
    el('figcaption', {}, `Roles over time${part}`),
    canvas,
    el('div.legend', {}, ...marks)
  )
  whenWide(canvas, () => drawRoles(canvas, model, shown, names))
  const now = new AtMoment((t) => [table(['role', 'people now', 'who'], rolesAt(model, t))])
  const box = el('div', {}, now.box, el('div.citizens', {}, figure))
  return { box, draw: (/** @type {number} */ t) => now.draw(t), select: now.select }
}

/**
 * Return a row per role of a society at a moment: its name, its number of people, and their names.
 * @param {Model} model @param {number} t
 */
function rolesAt(model, t) {
  const since = model.world(t).t
  const roles = new Map(
    model.roles
      .filter((one) => one.t >= since && one.t <= t)
      .map(({ agent, role }) => [agent, role])
  )
  /** @type {Map<string, string[]>} */
  const people = new Map()
  for (const [agent, role] of roles) {
    if (!people.has(role)) people.set(role, [])
    people.get(role)?.push(model.agents[agent])
  }
  return [...people]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([role, names]) => {
      const left = names.length - MOST_NAMED
      const more = left > 0 ? ` and ${show(left)} more` : ''
      return [role, names.length, names.slice(0, MOST_NAMED).join(', ') + more]
    })
}

/**
 * @param {HTMLCanvasElement} canvas @param {Model} model @param {number[]} shown
 * @param {string[]} names
 */
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

/**
 * Draw once a canvas is on the page, and again when its width changes.
 * @param {HTMLCanvasElement} canvas @param {() => void} draw
 */
function whenWide(canvas, draw) {
  new ResizeObserver(() => canvas.clientWidth && draw()).observe(canvas)
}
