/** Interface for a participating person: the current question, answered with keys or a form. */

import { byId, el } from 'report/elements.js'
import { field } from 'report/form.js'

/** @typedef {{text: string, key: string}} Choice */
/**
 * @typedef {object} Question
 * @property {string} name @property {string} agent @property {string} role @property {string} text
 * @property {import('report/form.js').Schema | null} schema @property {string} complaint @property
 * {Choice[]} choices
 * @property {number} until Unix time of the timeout
 */

/** Symbols for keys. */
const SIGNS = /** @type {Record<string, string>} */ ({
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc'
})

export class Seat {
  /** The current question. @type {Question | null} */ #now = null
  #isSent = false
  #hasAnswered = false
  /**
   * True if instructions are shown. They are hidden after the first question, because a person who
   * plays with keys needs the map.
   */
  #isOpen = true
  #hasChosen = false

  /** @param {(name: string, text: string) => Promise<string>} onAnswer returns the reason for a refusal, or an empty string */
  constructor(onAnswer) {
    this.box = byId('seat')
    this.onAnswer = onAnswer
    document.addEventListener('keydown', (event) => this.#key(event), { capture: true })
    setInterval(() => this.#tick(), 1000)
  }

  /** True if a person is playing here. */
  get isInUse() {
    return this.#now !== null || this.#hasAnswered
  }

  /** Show the oldest open question. @param {Question[]} questions */
  ask(questions) {
    const [first] = questions
    if (first && first.name === this.#now?.name) return
    this.#now = first ?? null
    this.#isSent = false
    this.box.hidden = !first
    this.box.dataset.question = first?.name ?? ''
    if (first) this.#show(first, questions.length - 1)
  }

  /** @param {Question} question @param {number} more */
  #show(question, more) {
    const { agent, role, text, complaint, choices } = question
    const isKeyed = choices.length > 0
    const left = el('span.left', {})
    const others = more ? el('span.left', {}, `and ${more} more`) : null
    const known = el(
      'details',
      { open: this.#isOpen },
      el('summary', { onclick: () => (this.#hasChosen = true) }, 'What is known'),
      el('pre', { tabindex: 0 }, text)
    )
    known.addEventListener('toggle', () => (this.#isOpen = known.open))
    const wanted = isKeyed ? this.#keys(choices) : this.#form(question)
    const title = isKeyed ? `${agent}, your step` : `${agent}, you are asked: ${role}`
    this.box.replaceChildren(
      el('header', {}, el('h2', { 'aria-live': 'polite' }, title), left, others),
      ...(complaint ? [el('p.fault', { role: 'alert' }, complaint)] : []),
      ...(isKeyed ? [wanted, known] : [known, wanted]),
      el('p.sent', { role: 'status' })
    )
    this.#tick()
    if (!isKeyed) this.box.querySelector('textarea, input, select')?.focus({ preventScroll: true })
  }

  /** @param {Choice[]} choices */
  #keys(choices) {
    const buttons = choices.map(({ text, key }) =>
      el(
        'button',
        { type: 'button', onclick: () => this.#send(key || text) },
        key ? el('kbd', {}, SIGNS[key] ?? key) : null,
        ` ${text}`
      )
    )
    return el('div.choices', { role: 'group', 'aria-label': 'Available actions' }, ...buttons)
  }

  /**
   * Create a field for each part of the answer type; if there is no type, create one text field.
   * @param {Question} question
   */
  #form({ schema }) {
    const plain = el('textarea', { rows: 4, 'aria-label': 'your answer', placeholder: '…' })
    const made = schema ? field(schema, 'your answer') : null
    const send = (/** @type {Event} */ event) => {
      event.preventDefault()
      this.#send(made ? JSON.stringify(made.value()) : plain.value)
    }
    const wanted = made?.node ?? plain
    return el('form', { onsubmit: send }, wanted, el('button', { type: 'submit' }, 'Send'))
  }

  /** @param {string} text */
  async #send(text) {
    const asked = this.#now
    if (!asked || this.#isSent) return
    this.#isSent = this.#hasAnswered = true
    if (asked.choices.length && !this.#hasChosen) this.#isOpen = false
    const why = await this.onAnswer(asked.name, text)
    if (this.#now !== asked) return
    this.#isSent = !why
    const said = this.box.querySelector('.sent')
    if (said) said.textContent = why || 'sent'
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {HTMLElement} */ (event.target)
    if (!this.#now || event.ctrlKey || event.metaKey || event.altKey) return
    if (target.closest('input, select, textarea')) return
    const chosen = this.#now.choices.find(({ key }) => key === event.key)
    if (!chosen) return
    event.preventDefault()
    event.stopImmediatePropagation()
    this.#send(chosen.key)
  }

  /** Show the remaining time. */
  #tick() {
    const left = this.box.querySelector('.left')
    if (!this.#now || !left) return
    const seconds = Math.max(0, Math.round(this.#now.until - Date.now() / 1000))
    left.textContent = `${seconds} s left`
  }
}
