/** The tabs below the map, one of which is shown. */

import { byId, el, roving } from 'report/elements.js'

/** The panels that have something to show, one at a time; each is built anew when that has grown. */
export class Tabs {
  /** @type {Map<string, {size: number, content: Node}>} */ #built = new Map()
  #chosen = 'result'

  /** @param {import('./panels.js').Panels} panels */
  constructor(panels) {
    this.panels = panels
    this.bar = byId('tabs')
    this.box = byId('panel')
    roving(this.bar, 'button')
  }

  /** Show what there is now. */
  async refresh() {
    const panels = this.panels.all().filter(({ size }) => size())
    for (const { id, size, build } of panels) {
      if (this.#built.get(id)?.size === size()) continue
      this.#built.set(id, { size: size(), content: await build() })
    }
    this.bar.replaceChildren(
      ...panels.map(({ id, title }) => {
        const choose = () => this.#choose(id)
        return el(
          'button',
          {
            id: `tab-${id}`,
            type: 'button',
            role: 'tab',
            'aria-controls': 'panel',
            onclick: choose
          },
          title
        )
      })
    )
    this.#choose(this.#chosen)
  }

  /** @param {string} id */
  #choose(id) {
    this.#chosen = id
    for (const tab of this.bar.children) {
      const isChosen = tab.id === `tab-${id}`
      tab.setAttribute('aria-selected', String(isChosen))
      tab.tabIndex = isChosen ? 0 : -1
      if (isChosen) this.box.setAttribute('aria-label', tab.textContent)
    }
    const content = this.#built.get(id)?.content
    if (content && this.box.firstChild !== content) this.box.replaceChildren(content)
  }
}
