/** Map labels: names, numbers, speech bubbles. */

import { colour, styled } from 'report/elements.js'

/** Minimum size in pixels for a square to show the number of blocks. */
export const NUMBERED_PIXELS = 12
/** Bottom edge of the picture's buttons, and distance between stacked bubbles, in pixels. */
export const BUTTONS_END = 40
const HIGHER = 22

/** Shorten a text for a label. @param {string} text @param {number} [most] letters */
export const shortened = (text, most = 30) =>
  text.length > most ? `${[...text].slice(0, most - 1).join('')}…` : text

/** Name the level of a conversion. @param {number} level */
export const directness = (level) => (level > 1 ? 'direct' : 'indirect')
/** @param {number | undefined} level */
export const levelColour = (level) =>
  level === undefined ? '#8d939c' : level > 1 ? '#d55e00' : '#e69f00'

/**
 * Return a function that returns an agent's colour at a moment: its own colour or, in a run with
 * conversions, the colour of its level.
 * @param {import('./model.js').Model} model @param {number} t @returns {(agent: number) => string}
 */
export function shadesAt(model, t) {
  if (!model.levels.length) return colour
  const levels = model.converted(t)
  return (agent) => levelColour(levels.get(agent)?.level)
}

/**
 * Draw a text in the middle of a square.
 * @param {CanvasRenderingContext2D} pen @param {string} text @param {number} x @param {number} y
 */
export function lettered(pen, text, x, y) {
  if (!text) return
  pen.font = '11px system-ui'
  pen.textAlign = 'center'
  pen.lineWidth = 3
  pen.strokeStyle = '#fff'
  pen.strokeText(text, x, y + 4)
  pen.lineWidth = 1
  pen.fillStyle = '#1d2126'
  pen.fillText(text, x, y + 4)
}

/** @param {CanvasRenderingContext2D} pen @param {string} text @param {number} x @param {number} y */
export function label(pen, text, x, y) {
  pen.font = '12px system-ui'
  pen.textAlign = 'center'
  pen.lineWidth = 3
  pen.strokeStyle = styled('--paper')
  pen.strokeText(text, x, y)
  pen.lineWidth = 1
  pen.fillStyle = styled('--ink')
  pen.fillText(text, x, y)
}

/** Occupied areas of a picture, so that labels do not overlap. */
export class Room {
  /** Left, top, right and bottom edges. @type {[number, number, number, number][]} */ #taken = []

  /** @param {number} left @param {number} top @param {number} right @param {number} bottom */
  isFree(left, top, right, bottom) {
    return !this.#taken.some(([l, t, r, b]) => left < r && l < right && top < b && t < bottom)
  }

  /** @param {number} left @param {number} top @param {number} right @param {number} bottom */
  take(left, top, right, bottom) {
    this.#taken.push([left, top, right, bottom])
  }

  /**
   * Draw a label at the first free position. If there is none, draw it at the first position if
   * `must` is true.
   * @param {CanvasRenderingContext2D} pen @param {string} text @param {[number, number][]} places
   * @param {boolean} must
   */
  label(pen, text, places, must) {
    pen.font = '12px system-ui'
    const half = pen.measureText(text).width / 2
    const free = places.find(([x, y]) => this.isFree(x - half, y - 11, x + half, y + 2))
    const at = free ?? (must ? places[0] : null)
    if (!at) return
    this.take(at[0] - half, at[1] - 11, at[0] + half, at[1] + 2)
    label(pen, text, ...at)
  }
}

/** Most letters of a bubble and of one of its lines, and height of a line in pixels. */
const [BUBBLE_LETTERS, LINE_LETTERS, LINE_PIXELS] = [90, 34, 15]

/**
 * Draw a bubble above an agent; if buttons or other bubbles are in the way, below the agent or else
 * higher up.
 * @param {CanvasRenderingContext2D} pen @param {string} text @param {number} x
 * @param {[number, number]} bottoms bottom edges of a bubble above and of one below the agent
 * @param {number} width of the sheet @param {Room} room other bubbles
 */
export function bubble(pen, text, x, [above, below], width, room) {
  const lines = wrapped(shortened(text, BUBBLE_LETTERS))
  pen.font = '12px system-ui'
  const wide = Math.max(...lines.map((line) => pen.measureText(line).width)) + 12
  const tall = LINE_PIXELS * lines.length + 4
  const left = Math.max(2, Math.min(x - wide / 2, width - wide - 2))
  const places = [above, below + tall - 20, ...[1, 2, 3].map((k) => above - HIGHER * k)]
  const isFree = (/** @type {number} */ y) =>
    y + 2 - tall >= BUTTONS_END && room.isFree(left, y + 2 - tall, left + wide, y + 2)
  const y = places.find(isFree) ?? Math.max(above, BUTTONS_END + tall - 2)
  room.take(left, y + 2 - tall, left + wide, y + 2)
  pen.fillStyle = styled('--paper')
  pen.strokeStyle = styled('--faint')
  pen.beginPath()
  pen.roundRect(left, y + 2 - tall, wide, tall, 6)
  pen.fill()
  pen.stroke()
  pen.fillStyle = styled('--ink')
  pen.textAlign = 'left'
  lines.forEach((line, k) =>
    pen.fillText(line, left + 6, y - 4 - LINE_PIXELS * (lines.length - 1 - k))
  )
}

/** Break a text into lines at spaces. @param {string} text @returns {string[]} */
function wrapped(text) {
  /** @type {string[]} */
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`.trim()
    if (longer.length <= LINE_LETTERS || !lines.at(-1)) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}
