/** Tabs of the side panel: events, charts, and panels that are built from the run's data. */

import { byId, el, roving } from 'report/elements.js'

/** The tab that is shown first. */
export const EVENTS = 'events'
/** Tabs whose sections are always on the page, and the names of these tabs. */
const FIXED = /** @type {Record<string, string>} */ ({ events: 'happened', charts: 'charts' })

/** Panels that have data, one visible at a time; a panel is rebuilt when its data has grown. */
export class Tabs {
  /** @type {Map<string, {size: number, content: Node | import('./panels.js').Following}>} */ #built =
    new Map()
  chosen = EVENTS

  /** @param {import('./panels.js').Panels} panels @param {() => void} onChoice */
  constructor(panels, onChoice) {
    this.panels = panels
    this.onChoice = onChoice
    this.bar = byId('tabs')
    this.box = byId('panel')
    roving(this.bar, 'button')
  }

  /** Show the current data. */
  async refresh() {
    const panels = this.panels.all().filter(({ size }) => size())
    for (const { id, size, build } of panels) {
      if (this.#built.get(id)?.size === size()) continue
      const content = await build()
      if (follows(content) && this.#agent) await content.select(this.#agent)
      this.#built.set(id, { size: size(), content })
    }
    const named = [{ id: EVENTS, title: 'Events' }, { id: 'charts', title: 'Charts' }, ...panels]
    this.bar.replaceChildren(
      ...named.map(({ id, title }) =>
        el(
          'button',
          {
            id: `tab-${id}`,
            type: 'button',
            role: 'tab',
            'aria-controls': FIXED[id] ?? 'panel',
            onclick: () => {
              this.choose(id)
              byId(FIXED[id] ?? 'panel').scrollIntoView({ block: 'nearest' })
            }
          },
          title
        )
      )
    )
    this.choose(this.chosen)
  }

  /** Show a tab; an unknown one is ignored. @param {string} id */
  choose(id) {
    if (!byId(`tab-${id}`)) return
    if (id !== this.chosen) this.onChoice()
    this.chosen = id
    for (const tab of this.bar.children) {
      const isChosen = tab.id === `tab-${id}`
      tab.setAttribute('aria-selected', String(isChosen))
      tab.tabIndex = isChosen ? 0 : -1
      if (isChosen) this.box.setAttribute('aria-label', tab.textContent)
    }
    const shown = FIXED[id] ?? 'panel'
    for (const section of [...Object.values(FIXED), 'panel'])
      byId(section).hidden = section !== shown
    const content = this.#built.get(id)?.content
    const node = follows(content) ? content.box : content
    if (node && this.box.firstChild !== node) this.box.replaceChildren(node)
    this.draw(this.#t)
  }

  #t = 0
  /** @type {string | null} */ #agent = null

  /** Show a moment in the selected tab. @param {number} t */
  draw(t) {
    const { end } = this.panels.model
    this.#t = t
    const content = this.#built.get(this.chosen)?.content
    if (follows(content)) content.draw(t, t < end)
  }

  /** Show one agent's entries in all tabs; null for all. @param {string | null} agent */
  async select(agent) {
    this.#agent = agent
    for (const { content } of this.#built.values())
      if (follows(content)) await content.select(agent)
    this.draw(this.#t)
  }
}

/**
 * Return whether a part follows the shown moment.
 * @param {any} content @returns {content is import('./panels.js').Following}
 */
const follows = (content) => typeof content?.draw === 'function'
