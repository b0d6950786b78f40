/** A run's outcome in words and numbers, and its chapters with links to their moments. */

import { byId, clock, el, roving, show } from 'report/elements.js'

/** Margin in pixels around a chapter that the list scrolls to. */
const EDGE = 3

export class Story {
  #shown = -1
  /** Index of the marked chapter. */ #at = -1

  /** @param {import('./model.js').Model} model @param {(t: number) => void} onGo */
  constructor(model, onGo) {
    this.model = model
    this.onGo = onGo
    this.list = byId('chapters')
    roving(this.list, 'button')
  }

  /** Show the story from the current data. */
  tell() {
    const { chapters, agents, summary } = this.model
    byId('about').textContent = summary.about ?? ''
    byId('outcome').textContent = summary.outcome
    const [first, ...more] = summary.problems ?? []
    byId('unreadable').hidden = !first
    byId('unreadable').textContent =
      `Not readable: ${first}${more.length ? ` (and ${more.length} more, see Result)` : ''}`
    const measure = summary.tiles?.[0]?.measure ?? ''
    byId('measure').textContent = measure
    byId('tiles').classList.toggle('rows', Boolean(measure))
    byId('tiles').replaceChildren(...(summary.tiles ?? []).map(tile))
    byId('facts').replaceChildren(
      ...summary.facts.map((/** @type {[string, any]} */ [name, value]) =>
        el('span.fact', {}, `${name} `, el('b', {}, show(value)))
      )
    )
    if (chapters.length === this.#shown) return
    this.#shown = chapters.length
    const lines = chapters.map(({ t, agent, title }, k) => {
      const name = agent < 0 || title.includes(agents[agent]) ? null : ` (${agents[agent]})`
      const go = () => this.onGo(t)
      const fields = { type: 'button', tabindex: k ? -1 : 0, onclick: go }
      return el('li', {}, el('button', fields, el('time', {}, clock(t)), ` ${title}`, name))
    })
    this.list.replaceChildren(...lines)
  }

  /** Scroll the list, but not the page, to a chapter. @param {Element | undefined} line */
  #show(line) {
    if (!line) return
    const [box, own] = [this.list.getBoundingClientRect(), line.getBoundingClientRect()]
    if (own.left < box.left) this.list.scrollLeft -= box.left - own.left + EDGE
    else if (own.right > box.right) this.list.scrollLeft += own.right - box.right + EDGE
  }

  /** Mark the chapter of the shown moment. @param {number} t */
  draw(t) {
    const at = this.model.chapters.findLastIndex((chapter) => chapter.t <= t + 1e-6)
    ;[...this.list.children].forEach((line, k) => {
      if (k === at) line.firstChild.setAttribute('aria-current', 'step')
      else line.firstChild.removeAttribute('aria-current')
    })
    if (at !== this.#at) this.#show(this.list.children[at])
    this.#at = at
  }
}

/**
 * A measure of the result: its name, its value in words, and its share of the largest possible value.
 * @param {{name: string, value: string, note: string, share: number | null}} measure
 */
function tile({ name, value, note, share }) {
  const bar = share === null ? null : el('i.share', { style: `--part: ${100 * share}%` })
  return el('div', {}, el('dt', {}, name), el('dd', {}, value, el('small', {}, ` ${note}`), bar))
}
