/** Panels below the map: result, negotiation, code, prompts, rules, configuration. */

import { rolesOverTime } from 'report/citizens.js'
import { clock, el, table } from 'report/elements.js'
import { MomentList } from 'report/lists.js'
import { ballotsAt, Society } from 'report/society.js'
import { AtMoment, deedsPanel, groupsPanel } from 'report/together.js'

/** @typedef {import('./model.js').Told} Told */
/**
 * A part that follows the shown moment and agent.
 * @typedef {{box: HTMLElement, draw: (t: number, scrolls: boolean) => any, select: (agent: string | null) => Promise<void>}} Following
 */
/** @typedef {{id: string, title: string, size: () => number, build: () => Promise<Node | Following>}} Panel amount of data (0: the panel is omitted), and constructor */

const NEGOTIATION = [
  'negotiation_message',
  'hidden_thought',
  'contract_agreed',
  'judgement',
  'transfer',
  'reward'
]
const CODE = ['code_started', 'code_finished', 'code_failed', 'critique']
const RULES = ['law_changed', 'feedback', 'amendment', 'vote', 'tally']

export class Panels {
  /**
   * @param {import('./model.js').Model} model @param {(t: number) => void} onGo
   * @param {(agent: number) => void} onSelect -1: none
   */
  constructor(model, onGo, onSelect) {
    this.model = model
    this.onGo = onGo
    this.society = new Society(model, onSelect)
  }

  /** @returns {Panel[]} */
  all() {
    const { model } = this
    const count = (/** @type {string[]} */ kinds, /** @type {string[]} */ needed) => () =>
      this.#has(kinds, needed) ? model.rowsOf(kinds).length : 0
    const told = () => 1 + JSON.stringify(model.summary).length
    return [
      { id: 'result', title: 'Result', size: told, build: () => this.#result() },
      {
        id: 'citizens',
        title: 'Roles',
        size: () => model.roles.length,
        build: async () => rolesOverTime(model)
      },
      {
        id: 'negotiation',
        title: 'Negotiation',
        size: count(NEGOTIATION, ['contract_agreed', 'negotiation_message']),
        build: () => this.#list(model.rowsOf(NEGOTIATION), (row) => this.#spoken(row))
      },
      {
        id: 'rules',
        title: 'Laws and votes',
        size: count(RULES, RULES),
        build: () => this.#laws()
      },
      {
        id: 'together',
        title: 'Who to whom',
        size: () => model.links.length + model.rates.length + model.ballots.length,
        build: async () => this.society.grown(await model.episodes())
      },
      {
        id: 'groups',
        title: 'Groups',
        size: () =>
          model.groups.some(({ groups }) => Object.keys(groups).length) ? model.groups.length : 0,
        build: async () => groupsPanel(model)
      },
      {
        id: 'deeds',
        title: 'Deeds',
        size: () => model.deeds.length,
        build: async () => deedsPanel(model)
      },
      { id: 'code', title: 'Code', size: count(CODE, ['code_started']), build: () => this.#code() },
      {
        id: 'prompts',
        title: 'Prompts',
        size: () => model.calls.t?.length ?? 0,
        build: () => this.#prompts()
      },
      {
        id: 'configuration',
        title: 'Configuration',
        size: told,
        build: () => this.#configuration()
      }
    ]
  }

  /**
   * @param {string[]} kinds @param {string[]} needed
   * @returns {boolean} whether any of the needed kinds is present
   */
  #has(kinds, needed) {
    const known = this.model.kinds.map(({ name }) => name)
    return kinds.some((kind) => needed.includes(kind) && known.includes(kind))
  }

  // --- Result ------------------------------------------------------------------------------------

  async #result() {
    const { result, outcome, problems, episodes, hides_minds: hidesMinds } = this.model.summary
    const parts = []
    if (hidesMinds)
      parts.push(
        el('p.none', {}, 'Thoughts, texts and prompts of minds are shown when the run is over.')
      )
    if (result?.error) parts.push(el('p.fault', {}, `The run failed: ${result.error}`))
    if (episodes.length) parts.push(table(episodes[0], episodes.slice(1)))
    if (result) parts.push(download(result))
    else parts.push(el('p.none', {}, outcome))
    for (const problem of problems ?? []) parts.push(el('p.fault', {}, `Not readable: ${problem}`))
    return el('div', {}, ...parts)
  }

  // --- Negotiation -------------------------------------------------------------------------------

  /** @param {Told} told */
  #spoken(told) {
    const { kind, agent, detail } = told
    const head = el('header', {}, this.#when(told), el('b', {}, agent ?? ''))
    if (kind === 'hidden_thought') {
      return el(
        'article.thought',
        {},
        el(
          'details',
          {},
          el('summary', {}, `${agent} thinks (not visible to others)`),
          el('p', {}, detail.text)
        )
      )
    }
    if (kind === 'negotiation_message') {
      const proposal = detail.proposal && el('blockquote', {}, detail.proposal)
      const accepts = detail.accepts ? el('p.accepts', {}, 'accepts the proposed contract') : null
      return el('article.said', {}, head, el('p', {}, detail.text), proposal, accepts)
    }
    if (kind === 'contract_agreed') {
      const clauses = detail.clauses.length ? el('pre', {}, detail.clauses.join('\n')) : null
      return el(
        'article.contract',
        {},
        head,
        el('h2', {}, told.text),
        detail.text ? el('blockquote', {}, detail.text) : null,
        clauses
      )
    }
    if (kind === 'judgement') {
      const reasons = el(
        'ul',
        {},
        ...detail.reasons.map((/** @type {string} */ reason) => el('li', {}, reason))
      )
      return el('article.judged', {}, head, el('h2', {}, told.text), reasons)
    }
    return el('article.plain', {}, head, el('p', {}, told.text))
  }

  // --- Laws and votes ----------------------------------------------------------------------------

  /** List the laws and votes of the shown episode, below the words of each amendment and its votes. */
  async #laws() {
    const { model } = this
    const episodes = await model.episodes()
    const told = await Promise.all(model.rowsOf(['amendment']).map((row) => model.told(row)))
    /** @type {Map<number, Map<number, string>>} */
    const words = new Map(told.map(({ episode }) => [episode, new Map()]))
    for (const { episode, detail } of told) words.get(episode)?.set(detail.number, detail.text)
    const shown = (/** @type {number} */ t) => episodes.findLast((one) => one.t <= t) ?? episodes[0]
    const head = new AtMoment((t) => {
      const { run = 0, label = '' } = shown(t) ?? {}
      const title = episodes.length > 1 ? [el('h2', {}, `Episode ${label}`)] : []
      return [...title, ballotsAt(model, t, run, words.get(run))]
    })
    const rows = model.rowsOf(RULES)
    const lists = new Map()
    for (const run of new Set([...episodes.map((one) => one.run), 0])) {
      const own = rows.filter((row) => model.rows.episode.at(row) === run)
      lists.set(run, await this.#list(own, (told) => this.#law(told)))
    }
    const [box, top] = [el('div.laws', {}), el('header', {}, head.box)]
    const draw = (/** @type {number} */ t, /** @type {boolean} */ scrolls) => {
      const list = lists.get(shown(t)?.run ?? 0)
      if (list.box.parentElement !== box) box.replaceChildren(top, list.box)
      head.draw(t)
      return list.draw(t, scrolls)
    }
    const select = async (/** @type {string | null} */ agent) => {
      for (const list of lists.values()) await list.select(agent)
    }
    return { box, draw, select }
  }

  /** @param {Told} told */
  #law(told) {
    const head = el('header', {}, this.#when(told), el('b', {}, told.agent ?? ''), told.text)
    if (told.kind !== 'law_changed') return el('article.plain', {}, head)
    return el(
      'article.contract',
      {},
      head,
      el('details', {}, el('summary', {}, 'The whole text'), el('blockquote', {}, told.detail.text))
    )
  }

  // --- Code --------------------------------------------------------------------------------------

  async #code() {
    /** The program that each agent is running. @type {Map<string, HTMLElement>} */
    const running = new Map()
    return this.#list(this.model.rowsOf(CODE), (told) => this.#program(told, running))
  }

  /** @param {Told} told @param {Map<string, HTMLElement>} running */
  #program(told, running) {
    const agent = told.agent ?? ''
    if (told.kind === 'code_started') {
      const lines = told.detail.code
        .split('\n')
        .map((/** @type {string} */ text) => el('li', {}, text || ' '))
      const code = el('ol.code', {}, ...lines)
      running.set(agent, code)
      const what = el('summary', {}, el('b', {}, agent), told.text)
      const fold = el('details', { open: lines.length <= 60 }, what, code)
      return el('article.program.timed', {}, this.#when(told), fold)
    }
    const failed = told.kind === 'code_failed'
    const line =
      failed && told.detail.line ? running.get(agent)?.children[told.detail.line - 1] : null
    line?.classList.add('broken')
    line?.setAttribute('title', told.detail.message)
    const logs = told.detail.logs?.length ? el('pre', {}, told.detail.logs.join('\n')) : null
    const head = el('header', {}, this.#when(told), el('b', {}, agent), told.text)
    return el(failed ? 'article.fault' : 'article.plain', {}, head, logs)
  }

  // --- Prompts -----------------------------------------------------------------------------------

  async #prompts() {
    const { calls } = this.model
    const text = 'Scripted minds answered these prompts; no language model was asked.'
    const list = new MomentList(
      [...calls.t.keys()].map((number) => ({
        ...{ t: calls.t[number], agent: calls.agent[number] ?? null },
        make: () => this.#prompt(number)
      })),
      this.model.summary.language_model ? [] : [el('p.none', {}, text)]
    )
    await list.select(null)
    return list
  }

  /** @param {number} number */
  #prompt(number) {
    const of = (/** @type {string} */ name) => this.model.calls[name]?.[number]
    const tokens =
      of('prompt_tokens') == null
        ? ''
        : `${of('prompt_tokens')} + ${of('completion_tokens')} tokens`
    const cost = of('cost') == null ? '' : `$${of('cost').toFixed(5)}`
    const told = [of('role'), of('model'), tokens, cost, of('failed') ? 'failed' : ''].filter(
      Boolean
    )
    const what = el('summary', {}, el('b', {}, of('agent') ?? ''), told.join(' · '))
    const fold = el('details', {}, what)
    fold.addEventListener('toggle', () => this.#unfold(fold, number), { once: true })
    return el('article.plain.timed', {}, this.#when({ t: of('t') }), fold)
  }

  /** @param {HTMLElement} fold @param {number} number */
  async #unfold(fold, number) {
    const { messages, answer, error } = await this.model.source.call(number)
    for (const { role, content } of messages)
      fold.append(el('h3', {}, role), el('pre', {}, content))
    fold.append(
      el('h3', {}, error ? 'error' : 'answer'),
      el('pre.answer', {}, error ?? answer ?? '')
    )
  }

  // --- Configuration -----------------------------------------------------------------------------

  async #configuration() {
    const { manifest, files } = this.model.summary
    return el(
      'div',
      {},
      el('pre', {}, manifest || 'run.yaml cannot be read.'),
      el('p.none', {}, files)
    )
  }

  // --- Parts -------------------------------------------------------------------------------------

  /** Create a link to a time. @param {{t: number}} told */
  #when({ t }) {
    const go = (/** @type {Event} */ event) => {
      event.preventDefault()
      this.onGo(t)
    }
    return el('button.when', { type: 'button', title: 'Show this moment', onclick: go }, clock(t))
  }

  /** @param {number[]} rows @param {(told: Told) => HTMLElement} make */
  async #list(rows, make) {
    const { rows: all, agents } = this.model
    const list = new MomentList(
      rows.map((row) => ({
        ...{ t: all.t.at(row), agent: agents[all.agent.at(row)] ?? null },
        make: async () => make(await this.model.told(row))
      }))
    )
    await list.select(null)
    return list
  }
}

/** Create a link that saves a result as a file. @param {any} result */
function download(result) {
  const file = new Blob([JSON.stringify(result, null, 2)], { type: 'application/json' })
  const fields = { href: URL.createObjectURL(file), download: 'result.json' }
  return el('p', {}, el('a', fields, 'Download all numbers (result.json)'))
}
