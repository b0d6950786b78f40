/** Groups and counted actions of agents in an episode up to a moment. */

import { el, table } from 'report/elements.js'

/** A part of the page that follows the shown moment. */
export class AtMoment {
  #t = NaN
  box = el('div', {})

  /** @param {(t: number) => Node[]} make */
  constructor(make) {
    this.make = make
  }

  /** @param {number} t */
  draw(t) {
    if (t === this.#t) return
    this.#t = t
    this.box.replaceChildren(...this.make(t))
  }

  async select() {}
}

/** Show groups with their members and shares. @param {import('./model.js').Model} model */
export function groupsPanel(model) {
  return new AtMoment((t) => {
    /** @type {Map<number, Record<string, number>>} */
    const now = new Map()
    for (const { t: at, agent, groups } of model.ofEpisode('groups', model.episodeAt(t)))
      if (at <= t) now.set(agent, groups)
    /** @type {Map<string, [string, number][]>} */
    const members = new Map()
    for (const [agent, groups] of now)
      for (const [group, part] of Object.entries(groups)) {
        if (!members.has(group)) members.set(group, [])
        members.get(group)?.push([model.agents[agent], part])
      }
    const rows = [...members]
      .sort(([a], [b]) => Number(a) - Number(b))
      .map(([group, of]) => {
        const whole = of.reduce((sum, [, part]) => sum + part, 0)
        const shown = of.map(([name, part]) => `${name} ${percent(part, whole)}`).sort()
        return [`group ${group}`, of.length, shown.join(', ')]
      })
    const alone = [...now].filter(([, groups]) => !Object.keys(groups).length)
    const names = alone.map(([agent]) => model.agents[agent]).sort()
    return [
      el('h2', {}, "Groups, and each member's share of the earnings"),
      rows.length
        ? table(['group', 'members', 'parts'], rows)
        : el('p.none', {}, 'There are no groups now.'),
      ...(names.length ? [el('p', {}, `In no group: ${names.join(', ')}`)] : [])
    ]
  })
}

/** @param {number} part @param {number} whole */
const percent = (part, whole) => `${whole ? Math.round((100 * part) / whole) : 0} %`

/** Show each agent's counted actions. @param {import('./model.js').Model} model */
export function deedsPanel(model) {
  return new AtMoment((t) => {
    const kinds = [...new Set(model.deeds.map(({ what }) => what))]
    /** @type {Map<number, Map<string, number>>} */
    const counts = new Map()
    for (const { t: at, agent, what, count } of model.ofEpisode('deeds', model.episodeAt(t))) {
      if (!counts.has(agent)) counts.set(agent, new Map())
      const own = counts.get(agent)
      if (at <= t) own?.set(what, (own.get(what) ?? 0) + count)
    }
    const rows = [...counts]
      .map(([agent, own]) => [model.agents[agent], ...kinds.map((kind) => own.get(kind) ?? 0)])
      .sort(([a], [b]) => String(a).localeCompare(String(b)))
    return [
      el('h2', {}, 'Actions of each agent in this episode until now'),
      table(['agent', ...kinds], rows)
    ]
  })
}
