/** Interventions in a live run: tell, ask, change, pause. */

import { byId, el } from 'report/elements.js'

/** Descriptions of the actions. @type {Record<string, string>} */
const DEEDS = {
  say: 'say to',
  whisper: 'let notice',
  ask: 'ask, outside the game,',
  interview: 'ask, to be remembered,',
  set: 'set'
}

export class Outside {
  #shown = ''

  /** @param {(deed: string, fields: Record<string, string>) => Promise<string>} act returns the reason for a refusal, or an empty string */
  constructor(act) {
    this.box = byId('outside')
    this.act = act
  }

  /** True while a user is filling in the form. */
  get isInUse() {
    return !this.box.hidden && this.box.open
  }

  /**
   * Show the interventions that a run accepts, as long as it is live.
   * @param {any} summary @param {string[]} agents
   */
  offer(summary, agents) {
    const { takes, interviewed, changeable, pauses } = summary
    const key = JSON.stringify([takes, agents, summary.is_over])
    if (key === this.#shown) return
    this.#shown = key
    this.box.hidden = summary.is_over || (!takes?.length && !pauses)
    if (this.box.hidden) return
    const said = el('p.sent', { role: 'status' })
    const tell = async (/** @type {string} */ deed, /** @type {Record<string, string>} */ fields) =>
      (said.textContent = (await this.act(deed, fields)) || 'done: see the list of events')
    const by = el('input', { 'aria-label': 'In whose name', value: 'Visitor', maxlength: 40 })
    const parts = takes?.length ? [form(takes, agents, interviewed, changeable, by, tell)] : []
    const button = (/** @type {string} */ deed, /** @type {string} */ text) =>
      el('button', { type: 'button', onclick: () => tell(deed, { by: by.value }) }, text)
    const clock = pauses ? [button('pause', 'Pause the game'), button('continue', 'Continue')] : []
    this.box.replaceChildren(
      el('summary', {}, 'Intervene'),
      ...parts,
      el('label', {}, 'by ', by),
      el('div.choices', {}, ...clock),
      said
    )
  }
}

/**
 * Create the form for telling or asking an agent something, or changing a setting.
 * @param {string[]} takes @param {string[]} agents @param {string[]} interviewed
 * @param {string[]} changeable @param {HTMLInputElement} by
 * @param {(deed: string, fields: Record<string, string>) => Promise<string>} tell
 */
function form(takes, agents, interviewed, changeable, by, tell) {
  const option = (/** @type {string} */ value, /** @type {string} */ text) =>
    el('option', { value }, text)
  const action = el(
    'select',
    { 'aria-label': 'What is done' },
    ...takes.map((one) => option(one, DEEDS[one] ?? one))
  )
  const whom = el('select', { 'aria-label': 'Agent or setting' })
  const text = el('input', { 'aria-label': 'Words or value', maxlength: 600 })
  const choose = () => {
    const asks = ['ask', 'interview'].includes(action.value)
    const names = action.value === 'set' ? changeable : asks ? interviewed : agents
    whom.replaceChildren(...names.map((name) => option(name, name)))
  }
  action.addEventListener('change', choose)
  choose()
  const send = (/** @type {Event} */ event) => {
    event.preventDefault()
    const sets = action.value === 'set'
    tell('tell', {
      agent: sets ? '' : whom.value,
      action: action.value,
      by: by.value,
      text: sets ? `${whom.value}=${text.value}` : text.value
    })
  }
  return el(
    'form',
    { onsubmit: send },
    action,
    whom,
    text,
    el('button', { type: 'submit' }, 'Do it')
  )
}
