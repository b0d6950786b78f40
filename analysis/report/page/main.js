/** The page for one run: all its parts show the same moment. */

import { Card } from 'report/card.js'
import { Charts } from 'report/charts.js'
import { byId, clock, el } from 'report/elements.js'
import { Feed } from 'report/feed.js'
import { Model } from 'report/model.js'
import { Outside } from 'report/outside.js'
import { Panels } from 'report/panels.js'
import { Seat } from 'report/seat.js'
import { Live, Packed } from 'report/source.js'
import { Stage } from 'report/stage.js'
import { Story } from 'report/story.js'
import { EVENTS, Tabs } from 'report/tabs.js'
import { Timeline } from 'report/timeline.js'

/** Interval at which a page that follows a run is redrawn. */
const REFRESH_MS = 1000
const ADDRESS_MS = 250
/** Up to this many agents, the items of all agents are listed. */
const FEW = 6
const KEYS = /** @type {Record<string, number>} */ ({ ArrowLeft: -1, ArrowRight: 1 })

// beside another run, the page shows only the world
if (window.top !== window.self) document.documentElement.dataset.beside = ''
const isLive = document.documentElement.dataset.source === 'live'
const source = isLive ? new Live(isInUse) : new Packed()
const model = new Model(source)
/** @type {Parts} */
let parts
const mayTakePart = Boolean(document.documentElement.dataset.token)
const live = source instanceof Live && mayTakePart ? source : null
/** Form for a person who takes part in a live run, and form for interventions. */
const seat = live && new Seat((to, text) => live.act('answer', { to, text }))
const outside = live && new Outside((deed, fields) => live.act(deed, fields))
let isStale = false

/** @typedef {{stage: Stage, timeline: Timeline, feed: Feed, charts: Charts, tabs: Tabs, story: Story, card: Card}} Parts */

/** @returns {Parts} */
function makeParts() {
  const timeline = new Timeline(model, showMoment)
  const go = (/** @type {number} */ t) => moveTo(t)
  return {
    timeline,
    stage: new Stage(model, select, keepAddress),
    feed: new Feed(model, go),
    charts: new Charts(model),
    story: new Story(model, go),
    card: new Card(model),
    tabs: new Tabs(new Panels(model, go, select), keepAddress)
  }
}

/** @param {number} t */
const moveTo = (t) => parts.timeline.go(t, false)

/** True if the page follows the newest moment. */
const follows = () => isLive && parts.timeline.isAtEnd

/**
 * Return whether the user is playing, typing or looking at an earlier moment, so that no other run
 * may replace this one.
 * @returns {boolean}
 */
function isInUse() {
  const isTyping = [
    ...document.querySelectorAll('input[type=search], textarea, #outside form input')
  ].some((field) => /** @type {HTMLInputElement} */ (field).value)
  return Boolean(isTyping || seat?.isInUse || outside?.isInUse || parts?.timeline.isChosen)
}

/** Show a moment in all parts. @param {number} t */
function showMoment(t) {
  if (!parts) return
  byId('now').textContent = `${clock(t)} of ${clock(model.end)}`
  parts.stage.draw(t)
  parts.feed.draw(t)
  parts.charts.draw(t)
  parts.story.draw(t)
  parts.card.draw(t)
  parts.tabs.draw(t)
  byId('legend').replaceChildren(...parts.stage.legend(t))
  showHoldings(t)
  showEpisode(t)
  keepAddress()
}

let selected = -1

/** Select one agent; -1 for all agents. @param {number} agent */
function select(agent) {
  selected = agent
  byId('agent').value = String(agent)
  parts.stage.select(agent)
  parts.feed.select(agent)
  parts.charts.select(agent)
  parts.card.select(agent)
  parts.tabs.select(model.agents[agent] ?? null)
  parts.charts.build(parts.timeline.t)
  showHoldings(parts.timeline.t)
  keepAddress()
}

/** Least width of a window in which the key is open at first, in pixels. */
const WIDE = 1600

/** @param {number} t */
function showHoldings(t) {
  const who = selected >= 0 ? [selected] : model.agents.length > FEW ? [] : [...model.agents.keys()]
  const lines = who
    .map((agent) => ({ agent, items: model.holds(agent, t) }))
    .filter(({ items }) => items.length)
    .map(({ agent, items }) => {
      const held = items.map(([item, count]) => `${count} ${item.replaceAll('_', ' ')}`).join(', ')
      return el('li', {}, el('b', {}, model.agents[agent]), ` holds ${held}`)
    })
  byId('holdings').replaceChildren(...lines)
  byId('key').hidden = !lines.length && !byId('legend').children.length
}

/** @type {import('./model.js').Episode[]} */
let episodes = []

/** @param {number} t */
function showEpisode(t) {
  const at = episodes.findLastIndex((episode) => episode.t <= t)
  byId('episode').value = String(Math.max(0, at))
}

async function offerChoices() {
  episodes = await model.episodes()
  parts.timeline.episodes = parts.charts.episodes = episodes
  parts.timeline.draw()
  const option = (/** @type {number} */ value, /** @type {string} */ text, span = {}) =>
    el('option', { value, ...span }, text)
  byId('episode').replaceChildren(
    ...episodes.map(({ label, t, end }, k) =>
      option(k, `episode ${label}`, { 'data-from': t, 'data-to': end })
    )
  )
  byId('episode').parentElement.hidden = episodes.length < 2
  byId('agent').replaceChildren(
    option(-1, 'everybody'),
    ...model.agents.map((name, k) => option(k, name))
  )
  byId('agent').value = String(selected)
  showEpisode(parts.timeline.t)
}

/** @param {any} summary */
function showSummary(summary) {
  model.summary = summary
  document.title = `${summary.title} – voxpolis`
  byId('title').textContent = summary.title
  byId('mind').textContent = summary.minds
  byId('mind').classList.toggle('scripted', !summary.language_model)
}

/** Draw all parts from the current data. */
async function showAll() {
  parts.feed.offer(model.summary.lanes)
  await refresh()
}

async function refresh() {
  isStale = false
  parts.timeline.grown()
  parts.stage.grown()
  parts.story.tell()
  outside?.offer(model.summary, model.agents)
  await offerChoices()
  await parts.tabs.refresh()
  parts.charts.build(parts.timeline.t)
  if (follows()) parts.timeline.go(model.end)
  else showMoment(parts.timeline.t)
}

// --- The address: #t=60&agent=Gizmo&view=plan&tab=charts ----------------------------------------------------------------

let keeping = 0

/** Update the address to the shown moment and agent; delayed, as browsers limit the rate. */
function keepAddress() {
  if (document.documentElement.dataset.ready !== 'yes') return
  clearTimeout(keeping)
  keeping = setTimeout(() => history.replaceState(null, '', `#${addressOf()}`), ADDRESS_MS)
}

function addressOf() {
  const at = new URLSearchParams()
  if (!follows()) at.set('t', String(Number(parts.timeline.t.toFixed(3))))
  if (selected >= 0) at.set('agent', model.agents[selected])
  const { isSolid } = parts.stage
  if (isSolid !== parts.stage.scene.isFast) at.set('view', isSolid ? '3d' : 'plan')
  if (parts.tabs.chosen !== EVENTS) at.set('tab', parts.tabs.chosen)
  return at
}

/** Go to the moment and agent in the address. @returns {boolean} whether it contains a moment */
function goToAddress() {
  const at = new URLSearchParams(location.hash.slice(1))
  const [t, agent] = [at.get('t'), at.get('agent')]
  const chosen = agent === null ? -1 : model.agents.indexOf(agent)
  if (chosen !== selected) select(chosen)
  if (t === null || !Number.isFinite(Number(t))) return false
  moveTo(Number(t))
  return true
}

/** True if nothing more will happen in the run. */
const isOver = () => !isLive || model.summary.is_over

/** Moment that is shown if the address names none: the first one, or the newest of a live run. */
const opening = () => (isOver() ? model.start : model.end)

/** Play the run from its start; for people who want less motion, show its start. */
function open() {
  parts.timeline.go(model.start)
  if (!matchMedia('(prefers-reduced-motion: reduce)').matches) parts.timeline.play(true)
}

/**
 * Show the tab and the view named in the address; without them, the events and the 3D view, or the
 * plan if the browser draws 3D slowly.
 */
function lookAsAddressed() {
  const at = new URLSearchParams(location.hash.slice(1))
  parts.tabs.choose(at.get('tab') ?? EVENTS)
  const view = at.get('view')
  const isSolid = view === '3d' || (view !== 'plan' && parts.stage.scene.isFast)
  if (isSolid !== parts.stage.isSolid) parts.stage.choose(isSolid)
}

/** @param {any} error */
function fail(error) {
  byId('state').textContent = `Cannot show this page: ${error.message ?? error}`
  console.error(error)
}

/** @type {import('./source.js').Listener} */
const listener = {
  summary: showSummary,
  head: (head) => {
    model.add(head)
    isStale = true
  },
  calls: (calls) => {
    model.addCalls(calls)
    isStale = true
  },
  asked: (questions) => {
    seat?.ask(questions)
    if (isStale && parts) refresh().catch(fail)
  },
  state: (text) => (byId('state').textContent = text),
  newer: () => (byId('newer').hidden = false),
  ended: () => parts && refresh().catch(fail)
}

async function start() {
  parts = makeParts()
  byId('all-runs').hidden = !byId('all-runs').getAttribute('href')
  byId('key').toggleAttribute('open', innerWidth >= WIDE) // elsewhere it would cover agents
  await source.tell(listener)
  await showAll()
  window.addEventListener('hashchange', () => {
    if (!goToAddress()) moveTo(opening())
    lookAsAddressed()
  })
  if (!goToAddress() && isOver()) open()
  if (!isLive && !model.rows.t.length) byId('state').textContent = 'this run has no events'
  lookAsAddressed()
  byId('episode').addEventListener('change', () => {
    moveTo(episodes[Number(byId('episode').value)].t)
  })
  byId('fold').addEventListener('click', () => {
    const isFolded = document.documentElement.toggleAttribute('data-folded')
    byId('fold').setAttribute('aria-expanded', String(!isFolded))
  })
  byId('agent').addEventListener('change', () => select(Number(byId('agent').value)))
  document.addEventListener('keydown', (event) => {
    const inField = /** @type {HTMLElement} */ (event.target).closest('input, select, textarea')
    if (inField) return
    if (event.key === ' ' && event.target === document.body) {
      event.preventDefault()
      byId('play').click()
    } else if (event.key === 'Home' || event.key === 'End') {
      event.preventDefault()
      moveTo(event.key === 'Home' ? model.start : model.end)
    } else if (KEYS[event.key]) parts.timeline.step(KEYS[event.key])
  })
  if (isLive) setInterval(() => isStale && refresh().catch(fail), REFRESH_MS)
  document.documentElement.dataset.ready = 'yes'
}

start().catch(fail)
