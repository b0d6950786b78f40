/** Making elements. Texts are always texts: what agents write is never taken for markup. */

/**
 * @param {string} name a tag, with classes: `div.box.wide`
 * @param {Record<string, any>} [fields] attributes; `onclick` and the like are listeners
 * @param {...(Node | string | number | null | undefined)} inside
 * @returns {any}
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

/** A table of texts. @param {string[]} head @param {(string | number | Node)[][]} rows */
export function table(head, rows) {
  const cells = (/** @type {any[]} */ row, /** @type {string} */ tag) =>
    el(
      'tr',
      {},
      ...row.map((cell) => el(typeof cell === 'number' ? `${tag}.number` : tag, {}, show(cell)))
    )
  return el(
    'div.scroll',
    {},
    el(
      'table',
      {},
      el('thead', {}, cells(head, 'th')),
      el('tbody', {}, ...rows.map((row) => cells(row, 'td')))
    )
  )
}

/** A number or text as a person reads it. @param {any} value */
export function show(value) {
  if (typeof value === 'number')
    return Number.isInteger(value) ? String(value) : value.toPrecision(4).replace(/\.?0+$/, '')
  if (value === null || value === undefined) return '–'
  return value instanceof Node || typeof value === 'string' ? value : JSON.stringify(value)
}

/** Seconds as minutes and seconds, hours where there are any. @param {number} seconds */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds))
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const two = (/** @type {number} */ n) => String(n).padStart(2, '0')
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}.${Math.floor((seconds % 1) * 10)}`
}

/** Colours that most people tell apart (Okabe and Ito), then further ones. @param {number} index */
export function colour(index) {
  const first = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#8a6d00']
  return index < first.length ? first[index] : `hsl(${(index * 137.5) % 360} 55% 45%)`
}

/** A canvas that is as sharp as the screen; its size in CSS pixels is kept in `width`, `height`.
 * @param {HTMLCanvasElement} canvas */
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

/** A colour of the style sheet. @param {string} name */
export const styled = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim()
