/** Marks on the map: names, numbers, bubbles. */

import { familyColour } from 'report/blocks.js'
import { styled } from 'report/elements.js'

/** From this size on a square says how many blocks stand there. */
const NUMBERED_PIXELS = 12
/** From this size on a square says what stands there, where its colour alone does not. */
const LETTERED_PIXELS = 16

/** What a square of so many pixels says: how many blocks there are, or the letters of one whose
 * colour is not that of a thing that everybody knows.
 * @param {string} block @param {number} count @param {number} size @returns {string} */
export function letters(block, count, size) {
  if (count > 1 && size >= NUMBERED_PIXELS) return String(count)
  return size >= LETTERED_PIXELS && !familyColour(block) ? block.slice(0, 2) : ''
}

/** @param {number | undefined} level */
export const levelColour = (level) =>
  level === undefined ? '#8d939c' : level > 1 ? '#d55e00' : '#e69f00'

/** Letters in the middle of a square. @param {CanvasRenderingContext2D} pen @param {string} text @param {number} x @param {number} y */
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

/** @param {CanvasRenderingContext2D} pen @param {string} text @param {number} x @param {number} y @param {number} width of the sheet */
export function bubble(pen, text, x, y, width) {
  const short = text.length > 46 ? `${text.slice(0, 45)}…` : text
  pen.font = '12px system-ui'
  const wide = pen.measureText(short).width + 12
  const left = Math.max(2, Math.min(x - wide / 2, width - wide - 2))
  pen.fillStyle = styled('--paper')
  pen.strokeStyle = styled('--faint')
  pen.beginPath()
  pen.roundRect(left, y - 18, wide, 20, 6)
  pen.fill()
  pen.stroke()
  pen.fillStyle = styled('--ink')
  pen.textAlign = 'left'
  pen.fillText(short, left + 6, y - 4)
}
