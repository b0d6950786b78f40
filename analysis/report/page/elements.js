/** DOM helpers. Text always becomes text nodes: markup written by agents is not interpreted. */

/**
 * @param {string} name a tag, with classes: `div.box.wide`
 * @param {Record<string, any>} [fields] attributes; `onclick` and similar fields are listeners
 * @param {...(Node | string | number | null | undefined)} inside @returns {any}
 */
export function el(name, fields = {}, ...inside) {
  const [tag, ...classes] = name.split('.')
  const made = document.createElement(tag)
  made.classList.add(...classes)
  for (const [key, value] of Object.entries(fields)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value)
    else if (value === true) made.setAttribute(key, '')
    else if (value !== false && value != null) made.setAttribute(key, String(value))
  }
  made.append(...inside.filter((part) => part != null).map((part) => /** @type {any} */ (part)))
  return made
}

/** @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id)

/**
 * Create a table; the first cell of each row is its header.
 * @param {string[]} head @param {(string | number | Node)[][]} rows
 */
export function table(head, rows) {
  const box = el('div.scroll', { tabindex: 0, role: 'group', 'aria-label': 'table' })
  const columns = head.map((name) => el('th', { scope: 'col' }, name))
  const cell = (/** @type {any} */ value, /** @type {number} */ column) => {
    const number = typeof value === 'number' ? '.number' : ''
    return column
      ? el(`td${number}`, {}, show(value))
      : el(`th${number}`, { scope: 'row' }, show(value))
  }
  const lines = rows.map((row) => el('tr', {}, ...row.map(cell)))
  const top = el('thead', {}, el('tr', {}, ...columns))
  box.append(el('table', {}, top, el('tbody', {}, ...lines)))
  return box
}

/**
 * Set up roving focus: Tab reaches one element of a row or list; arrows, Home and End reach the
 * others.
 * @param {HTMLElement} box @param {string} of selector that matches the elements
 */
export function roving(box, of) {
  const all = () => /** @type {HTMLElement[]} */ ([...box.querySelectorAll(of)])
  box.addEventListener('keydown', (event) => {
    const found = all()
    const at = found.indexOf(/** @type {HTMLElement} */ (event.target))
    const to = /** @type {Record<string, number>} */ ({
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      Home: 0,
      End: found.length - 1
    })[event.key]
    if (at < 0 || to === undefined) return
    event.preventDefault()
    event.stopPropagation()
    found.at(to % found.length)?.focus()
  })
  box.addEventListener('focusin', (event) => {
    for (const one of all()) one.tabIndex = one === event.target ? 0 : -1
  })
}

/** Range in which numbers are shown as integers with all digits. */
const [WHOLE_FROM, WHOLE_TO] = [999.95, 999999.5]

/** Format integers unchanged, and other numbers with four digits. @param {number} value */
function inDigits(value) {
  const size = Math.abs(value)
  if (Number.isInteger(value)) return String(value)
  if (size >= WHOLE_FROM && size < WHOLE_TO) return String(Math.round(value))
  const short = value.toPrecision(4)
  return short.includes('e') ? short : short.replace(/\.?0+$/, '')
}

/** Format a number or text for people. @param {any} value */
export function show(value) {
  if (typeof value === 'number') return inDigits(value)
  if (value === null || value === undefined) return '–'
  return value instanceof Node || typeof value === 'string' ? value : JSON.stringify(value)
}

/** Tolerance for binary rounding: 26.4 is slightly less in binary, but is shown as 26.4. */
const ROUNDING = 1e-6

/** Format seconds as minutes and seconds, with hours if needed. @param {number} seconds */
export function clock(seconds) {
  const tenths = Math.max(0, Math.floor(seconds * 10 + ROUNDING))
  const whole = Math.floor(tenths / 10)
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const two = (/** @type {number} */ n) => String(n).padStart(2, '0')
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}.${tenths % 10}`
}

/** Intervals between marked times, in seconds. */
const STEPS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400]
/** Minimum distance between marked times, in pixels. */
const TICK_PIXELS = 72

/**
 * Return the round times to mark on an axis.
 * @param {number} start @param {number} end @param {number} pixels length of the axis
 */
export function moments(start, end, pixels) {
  const least = ((end - start) * TICK_PIXELS) / Math.max(1, pixels)
  const step = STEPS_S.find((one) => one >= least) ?? Math.ceil(least / 86400) * 86400
  const first = Math.ceil(start / step)
  return Array.from({ length: Math.floor(end / step) - first + 1 }, (_, k) => (first + k) * step)
}

/**
 * Return the colour for an index: first those of Okabe and Ito, then less distinguishable ones.
 * @param {number} index
 */
export function colour(index) {
  const first = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#8a6d00']
  return index < first.length ? first[index] : `hsl(${(index * 137.5) % 360} 55% 45%)`
}

/**
 * Adjust a canvas to the screen's resolution; `width` and `height` keep its size in CSS pixels.
 * @param {HTMLCanvasElement} canvas
 */
export function sharp(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas
  const scale = window.devicePixelRatio || 1
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale)
    canvas.height = Math.round(height * scale)
  }
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'))
  pen.setTransform(scale, 0, 0, scale, 0, 0)
  pen.clearRect(0, 0, width, height)
  return { pen, width, height }
}

/** Return a colour from the style sheet. @param {string} name */
export const styled = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim()
