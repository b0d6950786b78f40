/** Filtered list of events up to the shown moment, newest first. */

import { byId, clock, colour, el } from 'report/elements.js'
import { Gathering, wordsOf } from 'report/gathering.js'

const MOST_ROWS = 150
/** Number of texts to search before the page is redrawn. */
const SEARCHED_AT_ONCE = 3000
/** Minimum interval between updates of the list during playback. */
const REDRAW_MS = 120

export class Feed {
  #drawing = 0
  #t = 0
  #agent = -1
  #drawn = 0
  #waiting = false
  /** Index of the line selected with keys. */ #chosen = -1

  /** @param {import('./model.js').Model} model @param {(t: number) => void} onGo */
  constructor(model, onGo) {
    this.model = model
    this.onGo = onGo
    this.list = byId('feed')
    this.search = /** @type {HTMLInputElement} */ (byId('search'))
    this.list.addEventListener('keydown', (/** @type {KeyboardEvent} */ e) => this.#choose(e))
    this.search.addEventListener('input', () => this.draw(this.#t))
  }

  /** Create a checkbox for each lane. @param {string[]} lanes */
  offer(lanes) {
    byId('filters').replaceChildren(
      ...lanes.map((lane) => {
        const box = el('input', { type: 'checkbox', value: lane, checked: true })
        box.addEventListener('change', () => this.draw(this.#t))
        return el('label.filter', {}, box, lane)
      })
    )
  }

  /** Show only one agent's events; -1 for all. @param {number} agent */
  select(agent) {
    this.#agent = agent
    this.draw(this.#t)
  }

  /** @param {number} t */
  draw(t) {
    this.#t = t
    this.list.setAttribute('aria-busy', 'true')
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
    this.list.replaceChildren(...found.map((told, k) => this.#line(told, k)))
    if (!found.length) {
      const none = 'No such events until now.'
      this.list.append(el('li.none', { role: 'option', 'aria-disabled': 'true' }, none))
    }
    this.#mark(-1)
    if (!this.#waiting) this.list.setAttribute('aria-busy', 'false')
  }

  /**
   * Yield rows that match the selected lanes and agent, newest first.
   * @param {number} t @returns {Generator<number>}
   */
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

  /**
   * @param {Generator<number>} rows @param {() => boolean} isOver
   * @returns {Promise<import('./gathering.js').Line[] | null>} null if cancelled
   */
  async #matching(rows, isOver) {
    const words = this.search.value.trim().toLowerCase()
    const found = []
    const gathering = new Gathering(this.model.counted)
    let searched = 0
    for (const row of rows) {
      const told = await this.model.told(row)
      if (isOver()) return null
      const matches = !words || told.text.toLowerCase().includes(words)
      const line = matches ? gathering.take(told) : null
      if (line) found.push(line)
      if (found.length >= MOST_ROWS) break
      if (++searched % SEARCHED_AT_ONCE === 0) await new Promise((go) => setTimeout(go))
    }
    return found
  }

  /** @param {import('./gathering.js').Line} told @param {number} k */
  #line(told, k) {
    const shade = told.agent === null ? null : colour(this.model.agents.indexOf(told.agent))
    const dot = shade && el('i.dot', { style: `background:${shade}` })
    const line = el(
      'li',
      { id: `event-${k}`, class: told.kind, role: 'option', 'aria-selected': 'false' },
      el('time', {}, timeOf(told)),
      el('div', {}, el('b', {}, dot, told.agent ?? ''), ' ', el('span', {}, wordsOf(told)))
    )
    line.addEventListener('click', () => this.onGo(told.t))
    return line
  }

  /**
   * Keyboard navigation with a single tab stop: arrows, Home and End select a line, and Enter shows
   * its moment.
   * @param {KeyboardEvent} event
   */
  #choose(event) {
    const last = this.list.children.length - 1
    const to = /** @type {Record<string, number>} */ ({
      ArrowDown: Math.min(this.#chosen + 1, last),
      ArrowUp: Math.max(this.#chosen - 1, 0),
      Home: 0,
      End: last
    })[event.key]
    if (event.key === 'Enter') this.list.children[this.#chosen]?.click()
    if (to === undefined) return
    event.preventDefault()
    event.stopPropagation()
    this.#mark(to)
  }

  /** @param {number} chosen */
  #mark(chosen) {
    this.list.children[this.#chosen]?.setAttribute('aria-selected', 'false')
    this.#chosen = chosen
    const line = this.list.children[chosen]
    line?.setAttribute('aria-selected', 'true')
    line?.scrollIntoView({ block: 'nearest' })
    if (line) this.list.setAttribute('aria-activedescendant', line.id)
    else this.list.removeAttribute('aria-activedescendant')
  }
}

/** @param {import('./gathering.js').Line} line */
function timeOf({ t, since = t }) {
  const [from, to] = [clock(since), clock(t)]
  return from === to ? to : `${from}–${to}`
}
