/** A paged list of events that follows the shown moment and the selected agent. */

import { el } from 'report/elements.js'

/** Maximum number of entries on the page. */
const AT_ONCE = 200

/**
 * An entry: time, agent (null: all agents), and a function that creates its element. Elements are
 * created in order.
 * @typedef {{t: number, agent: string | null, make: () => Promise<HTMLElement> | HTMLElement}} Entry
 */

export class MomentList {
  #agent = /** @type {string | null} */ (null)
  #t = Infinity
  /** The selected agent's entries. @type {Entry[]} */ #own
  #first = 0
  /** @type {HTMLElement[]} */ #made = []
  #current = -1
  #making = 0

  /** @param {Entry[]} entries in order of time @param {Node[]} [head] elements above them */
  constructor(entries, head = []) {
    this.head = head
    this.entries = entries
    this.#own = entries
    this.box = el('div.list', {})
  }

  /**
   * Show only entries about one agent and about the run as a whole; null: show all.
   * @param {string | null} agent
   */
  async select(agent) {
    this.#agent = agent
    this.#own = this.entries.filter((one) => !agent || !one.agent || one.agent === agent)
    await this.#show(this.#around())
  }

  /**
   * Mark the entry for a moment, and show its page.
   * @param {number} t @param {boolean} scrolls scroll the entry into view
   */
  async draw(t, scrolls) {
    this.#t = t
    const at = this.#own.findLastIndex((one) => one.t <= t + 1e-6)
    const isThere = at < 0 || (at >= this.#first && at < this.#first + this.#made.length)
    if (!isThere) await this.#show(this.#around())
    this.#mark(scrolls)
  }

  #around() {
    const at = this.#own.findLastIndex((one) => one.t <= this.#t + 1e-6)
    return Math.max(0, Math.min(at - AT_ONCE / 2, this.#own.length - AT_ONCE))
  }

  /** @param {number} first index of the first entry to show */
  async #show(first) {
    const making = ++this.#making
    const part = this.#own.slice(first, first + AT_ONCE)
    const made = []
    for (const entry of part) made.push(await entry.make())
    if (making !== this.#making) return // another page has been requested meanwhile
    this.#first = first
    this.#made = made
    this.#current = -1
    const left = this.#own.length - first - part.length
    this.box.replaceChildren(
      ...this.head,
      ...(first ? [this.#more(`Show earlier (${first})`, first - AT_ONCE)] : []),
      ...made,
      ...(left ? [this.#more(`Show more (${left} left)`, first + AT_ONCE)] : [])
    )
    if (!part.length) this.box.append(el('p.none', {}, `Nothing of ${this.#agent ?? 'anybody'}.`))
    this.#mark(false)
  }

  /** @param {string} text @param {number} first */
  #more(text, first) {
    const show = () => this.#show(Math.max(0, first))
    return el('button.more', { type: 'button', onclick: show }, text)
  }

  /** @param {boolean} scrolls */
  #mark(scrolls) {
    const at = this.#own.findLastIndex((one) => one.t <= this.#t + 1e-6) - this.#first
    if (at === this.#current) return
    this.#made[this.#current]?.removeAttribute('aria-current')
    this.#current = at
    const entry = this.#made[at]
    entry?.setAttribute('aria-current', 'step')
    const panel = entry?.closest('[role=tabpanel]')
    const covered = panel?.querySelector('.laws > header')?.clientHeight ?? 0
    if (scrolls && panel && entry)
      panel.scrollTop = entry.offsetTop - covered - (panel.clientHeight - covered) / 3
  }
}
