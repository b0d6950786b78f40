/** What happened up to the moment shown, the newest first, as far as it passes the filters. */

import { byId, clock, colour, el } from 'report/elements.js'

const MOST_ROWS = 150
/** How many texts are searched before the page is drawn again. */
const SEARCHED_AT_ONCE = 3000
/** While a run is played the list changes so often at most. */
const REDRAW_MS = 120

export class Feed {
  #drawing = 0
  #t = 0
  #agent = -1
  #drawn = 0
  #waiting = false

  /**
   * @param {import('./model.js').Model} model
   * @param {(t: number) => void} onGo
   */
  constructor(model, onGo) {
    this.model = model
    this.onGo = onGo
    this.list = byId('feed')
    this.search = /** @type {HTMLInputElement} */ (byId('search'))
    this.search.addEventListener('input', () => this.draw(this.#t))
  }

  /** Make the boxes that choose lanes. @param {string[]} lanes */
  offer(lanes) {
    byId('filters').replaceChildren(
      ...lanes.map((lane) => {
        const box = el('input', { type: 'checkbox', value: lane, checked: true })
        box.addEventListener('change', () => this.draw(this.#t))
        return el('label.filter', {}, box, lane)
      })
    )
  }

  /** Only what one agent does; everybody for -1. @param {number} agent */
  select(agent) {
    this.#agent = agent
    this.draw(this.#t)
  }

  /** @param {number} t */
  draw(t) {
    this.#t = t
    if (this.#waiting) return
    this.#waiting = true
    const wait = Math.max(0, this.#drawn + REDRAW_MS - performance.now())
    setTimeout(() => {
      this.#waiting = false
      this.#drawn = performance.now()
      this.#show(this.#t)
    }, wait)
  }

  /** @param {number} t */
  async #show(t) {
    const drawing = ++this.#drawing
    const rows = this.#candidates(t)
    const found = await this.#matching(rows, () => drawing !== this.#drawing)
    if (drawing !== this.#drawing || !found) return
    this.list.replaceChildren(...found.map((told) => this.#line(told)))
    if (!found.length)
      this.list.append(el('li.none', {}, 'Nothing of this kind happened until now.'))
  }

  /** Rows of the chosen lanes and agent, the newest first. @param {number} t @returns {Generator<number>} */
  *#candidates(t) {
    const boxes = /** @type {HTMLInputElement[]} */ ([...byId('filters').querySelectorAll('input')])
    const chosen = new Set(boxes.filter((box) => box.checked).map((box) => box.value))
    const { rows, kinds } = this.model
    const wanted = kinds.map(({ lane }) => chosen.has(lane))
    for (let row = this.model.rowsUntil(t) - 1; row >= 0; row--) {
      if (!wanted[rows.kind.at(row)]) continue
      if (this.#agent < 0 || rows.agent.at(row) === this.#agent) yield row
    }
  }

  /** @param {Generator<number>} rows @param {() => boolean} isOver
   * @returns {Promise<import('./model.js').Told[] | null>} null where it was given up */
  async #matching(rows, isOver) {
    const words = this.search.value.trim().toLowerCase()
    const found = []
    let searched = 0
    for (const row of rows) {
      const told = await this.model.told(row)
      if (isOver()) return null
      if (!words || told.text.toLowerCase().includes(words)) found.push(told)
      if (found.length >= MOST_ROWS) break
      if (++searched % SEARCHED_AT_ONCE === 0) await new Promise((go) => setTimeout(go))
    }
    return found
  }

  /** @param {import('./model.js').Told} told */
  #line(told) {
    const shade = told.agent === null ? 'inherit' : colour(this.model.agents.indexOf(told.agent))
    const line = el(
      'li',
      { class: told.kind, tabindex: 0, title: `${told.kind}: go to this moment` },
      el('time', {}, clock(told.t)),
      el('b', { style: `color:${shade}` }, told.agent ?? ''),
      el('span', {}, told.text)
    )
    const go = () => this.onGo(told.t)
    line.addEventListener('click', go)
    line.addEventListener('keydown', (/** @type {KeyboardEvent} */ e) => e.key === 'Enter' && go())
    return line
  }
}
