/** What came of a run, and its chapters, which lead to their moments. */

import { byId, clock, el, roving } from 'report/elements.js'

export class Story {
  #shown = -1

  /** @param {import('./model.js').Model} model @param {(t: number) => void} onGo */
  constructor(model, onGo) {
    this.model = model
    this.onGo = onGo
    this.list = byId('chapters')
    roving(this.list, 'button')
  }

  /** Tell it from what is known now. */
  tell() {
    const { chapters, agents, summary } = this.model
    byId('outcome').textContent = summary.outcome
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

  /** Mark the chapter that a moment is in. @param {number} t */
  draw(t) {
    const at = this.model.chapters.findLastIndex((chapter) => chapter.t <= t + 1e-6)
    ;[...this.list.children].forEach((line, k) => {
      if (k === at) line.firstChild.setAttribute('aria-current', 'step')
      else line.firstChild.removeAttribute('aria-current')
    })
  }
}
