/** Card of the selected agent at the shown moment: items, actions, thoughts and prompts. */

import { othersKnown } from 'report/citizens.js'
import { byId, el } from 'report/elements.js'

const WAIT_MS = 120
const PROGRAM = ['code_started', 'code_finished', 'code_failed']
/** Lines of a card, and the kinds of event that each is taken from; the newest event counts. */
const LINES = /** @type {[string, string[]][]} */ ([
  ['who', ['introduced']],
  ['task', ['task_started']],
  ['goal', ['goal']],
  ['role', ['role']],
  ['decided', ['decided']],
  ['expected', ['expectation_ended']],
  ['came of it', ['action_done']],
  ['noticed', ['belief_corrected', 'decision_refused']],
  ['program', PROGRAM],
  ['last plan', ['plan_ended']],
  ['thought', ['hidden_thought']],
  ['last turn', ['turn_taken']],
  ['said', ['chat', 'spoke', 'negotiation_message', 'signal', 'message_passed']],
  ['supposes', ['hypothesis']],
  ['reputation', ['reputation']],
  ['groups', ['groups_changed']],
  ['belief', ['converted']],
  ['likes', ['sentiment']]
])

export class Card {
  #agent = -1
  #t = 0
  #drawing = 0
  #isWaiting = false
  #call = -1

  /** @param {import('./model.js').Model} model */
  constructor(model) {
    this.model = model
    this.box = byId('card')
    this.lines = el('dl', {})
    this.asked = el('div', {})
    this.title = /** @type {HTMLElement} */ (this.box.firstElementChild)
    this.box.append(this.lines, this.asked)
  }

  /** @param {number} agent -1: none, hides the card */
  select(agent) {
    this.#agent = agent
    this.box.hidden = agent < 0
    this.draw(this.#t)
  }

  /** Show a moment, after a delay, so that playback skips some moments. @param {number} t */
  draw(t) {
    this.#t = t
    if (this.#agent < 0 || this.#isWaiting) return
    this.#isWaiting = true
    setTimeout(() => {
      this.#isWaiting = false
      this.#show(this.#agent, this.#t)
    }, WAIT_MS)
  }

  /** @param {number} agent @param {number} t */
  async #show(agent, t) {
    const drawing = ++this.#drawing
    const { model } = this
    if (agent < 0) return
    const rows = LINES.map(([, kinds]) => model.newest(kinds, agent, t))
    const told = await Promise.all(rows.map((row) => (row < 0 ? null : model.told(row))))
    const begun = model.newest(['code_started'], agent, t)
    const { code = '' } = begun < 0 ? {} : ((await model.told(begun)).detail ?? {})
    const others = await othersKnown(model, agent, t)
    if (drawing !== this.#drawing) return
    const lines = LINES.flatMap(([name], k) => {
      const lines = name === 'program' && code ? program(code, told[k]) : null
      return told[k] ? [el('dt', {}, name), el('dd', {}, bare(told[k]?.text), lines)] : []
    })
    if (others.length) {
      const known = others.map((text) => el('li', {}, text))
      lines.push(el('dt', {}, 'knows of others'), el('dd', {}, el('ul', {}, ...known)))
    }
    const name = model.agents[agent]
    const of = [
      ['played by', model.summary.kinds?.[name]],
      ['values', listed(Object.entries(model.summary.worth?.[name] ?? {}))]
    ].flatMap(([what, text]) => (text ? [el('dt', {}, what), el('dd', {}, text)] : []))
    this.title.textContent = name
    this.lines.replaceChildren(...of, ...lines)
    this.#showCall(model.newestCall(agent, t))
  }

  /**
   * Show the last prompt to a model; it is loaded when the user opens it.
   * @param {number} number
   */
  #showCall(number) {
    if (number === this.#call) return
    this.#call = number
    if (number < 0) return this.asked.replaceChildren()
    const fold = el(
      'details',
      {},
      el('summary', {}, `last asked: ${this.model.calls.role[number]}`)
    )
    const unfold = async () => {
      const { messages, answer, error } = await this.model.source.call(number)
      const last = messages.at(-1)?.content ?? ''
      fold.append(el('pre', { tabindex: 0 }, last))
      fold.append(el('pre.answer', { tabindex: 0 }, error ?? answer ?? ''))
    }
    fold.addEventListener('toggle', unfold, { once: true })
    this.asked.replaceChildren(fold)
  }
}

/** Remove the prefix that repeats the line's label. @param {string} [text] */
const bare = (text = '') => text.replace(/^(?:goal|role|decides|groups): /, '')

/** Format items with their counts. @param {[string, number][]} items */
const listed = (items) => items.map(([item, n]) => `${item.replaceAll('_', ' ')} ${n}`).join(', ')

/**
 * Show a program, and mark the line that failed.
 * @param {string} code @param {any} [last] last event about it
 */
function program(code, last) {
  const lines = code
    .trimEnd()
    .split('\n')
    .map((text) => el('li', {}, text || ' '))
  if (last?.kind === 'code_failed') lines[last.detail.line - 1]?.classList.add('broken')
  return el('ol.code', { tabindex: 0, 'aria-label': 'its program' }, ...lines)
}
