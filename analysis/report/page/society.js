/** Graph of who does what with whom in an episode up to a moment, with the tax rate and the ballots. */

import { colour, el, sharp, show, styled, table } from 'report/elements.js'
import { arranged } from 'report/forces.js'
import { directness, label, levelColour, Room, shadesAt, shortened } from 'report/marks.js'

/**
 * Kinds of links: verb, colour, and how an amount is written. Of rated kinds, the latest amount
 * counts; amounts of the others are added up. Of conversions, an agent's latest counts. A surveyed
 * kind is listed as a whole at each survey, so links of earlier surveys are outdated.
 * @type {Record<string, {verb: string, shade: string, amount: (count: number) => string, isRated?: boolean, isSurveyed?: boolean}>}
 */
const KINDS = {
  talk: { verb: 'talks to', shade: colour(5), amount: (count) => times(count) },
  gift: { verb: 'gives to', shade: colour(2), amount: String },
  trade: { verb: 'trades with', shade: colour(6), amount: String },
  pay: { verb: 'pays', shade: colour(4), amount: (count) => `${show(count)}` },
  like: {
    verb: 'likes',
    shade: colour(3),
    amount: (count) => `${show(count)} of 10`,
    isRated: true
  },
  feeling: {
    verb: 'feels about',
    shade: '#00808a',
    amount: (count) => `${show(count)} of 10`,
    isRated: true,
    isSurveyed: true
  },
  trust: {
    verb: 'trusts',
    shade: colour(0),
    amount: (count) => `${Math.round(100 * count)} %`,
    isRated: true
  },
  conversion: {
    verb: 'converts',
    shade: colour(1),
    amount: directness,
    isRated: true
  },
  vote: { verb: 'votes', shade: '#8f6fe0', amount: (count) => times(count) },
  hit: { verb: 'hits', shade: '#c4314b', amount: (count) => times(count) }
}
const ORDER = Object.keys(KINDS)
/** @param {number} count */
const times = (count) => `${count} time${count === 1 ? '' : 's'}`

/** Duration in which an event is highlighted: a part of the run, and at least some seconds. */
const [PULSE_PART, PULSE_S] = [1 / 1000, 4]
/** Duration in which a link fades, in the same way. */
const [FADE_PART, FADE_S] = [1 / 100, 20]
/** Number of shades of fading; links of one shade are drawn at once. */
const SHADES = 6
/** Number of links above which all are drawn fainter. */
const CROWD = 200
/** Maximum number of links that are drawn, newest first, and of those with a point at their end. */
const [MOST_DRAWN, MOST_POINTED] = [1500, 300]
/** Maximum number of names; of more nodes, only some are named. */
const [MOST_NAMES, MOST_HUBS] = [40, 8]
/** Maximum number of links whose amounts are written next to them. */
const MOST_AMOUNTS = 8
const MOST_ROWS = 200
const TABLE_MS = 500
const [NEAR_PIXELS, MARGIN] = [14, 28]
/** Curvature of the links of the first kind; each further kind adds as much. */
const BEND = 0.03
/** Maximum number of letters of the list of priests. */
const MOST_LETTERS = 120
/** Name of an unknown source. */
const NOBODY = '(nobody)'

/** @typedef {{kind: string, from: number, to: number, count: number, t: number, items: Map<string, number>}} Pair nodes (-1: nobody), amount so far, and time of the latest event */

/** A part of the page that follows the shown moment and the selected agent. */
export class Society {
  /** Names of nodes: agents, and hubs such as the market. */
  #names = /** @type {string[]} */ ([])
  /** Agents at the nodes; -1 for a hub. */
  #agents = /** @type {number[]} */ ([])
  #numbers = /** @type {Map<string, number>} */ (new Map())
  #places = /** @type {import('./forces.js').Point[]} */ ([])
  #pairs = /** @type {Map<string, Pair>} */ (new Map())
  /** Links in order of time, each with its pair, and the number of them up to the moment. */
  #links = /** @type {{link: import('./model.js').Link, pair: Pair}[]} */ ([])
  #passed = 0
  /** The shown episode. */ #episode = 0
  /** Time of the latest survey. */ #surveyed = -Infinity
  /** Latest conversion of each node. */ #conversions = /** @type {Map<number, Pair>} */ (new Map())
  #episodes = /** @type {import('./model.js').Episode[]} */ ([])
  /** Width and height of the canvas. */ #size = [0, 0]
  #arranged = 0
  #t = NaN
  #chosen = -1
  #hidden = /** @type {Set<string>} */ (new Set())
  #tabling = 0
  /** Numbers of the latest rate and ballot on the page. */ #law = ''
  /** Episode and converts on the page. */ #about = ''

  /** @param {import('./model.js').Model} model @param {(agent: number) => void} onSelect -1: none */
  constructor(model, onSelect) {
    this.model = model
    this.onSelect = onSelect
    this.about = el('div')
    this.law = el('div.law')
    this.kinds = el('div.kinds', { role: 'group', 'aria-label': 'Links to show' })
    const text = 'Graph of links between agents: same content as the table below'
    this.canvas = el('canvas.graph', { role: 'img', 'aria-label': text })
    this.rows = el('div')
    const head = el('header', {}, this.about, this.law, this.kinds, this.canvas)
    this.box = el('div.society', {}, head, this.rows)
    this.canvas.addEventListener('click', (/** @type {MouseEvent} */ event) => this.#click(event))
    new ResizeObserver(() => this.#paint()).observe(this.canvas)
  }

  /**
   * Add the links that the run has had since the last call.
   * @param {import('./model.js').Episode[]} episodes all attempts at episodes so far
   */
  grown(episodes) {
    this.#episodes = episodes
    for (const link of this.model.links.slice(this.#links.length))
      this.#links.push({ link, pair: this.#pairOf(link) })
    this.#links.sort((a, b) => a.link.t - b.link.t)
    this.#rewind()
    const found = new Set([...this.#pairs.values()].map(({ kind }) => kind))
    const kinds = ORDER.filter((kind) => found.has(kind))
    if (kinds.length !== this.kinds.children.length)
      this.kinds.replaceChildren(...kinds.map((kind) => this.#choice(kind)))
    return this
  }

  /** @param {string} kind */
  #choice(kind) {
    const { verb, shade } = KINDS[kind]
    const change = (/** @type {any} */ { target }) => {
      this.#hidden[target.checked ? 'delete' : 'add'](kind)
      this.#show()
    }
    const input = el('input', {
      type: 'checkbox',
      checked: !this.#hidden.has(kind),
      onchange: change
    })
    return el('label.key', {}, input, el('i', { style: `background:${shade}` }), verb)
  }

  /** @param {import('./model.js').Link} link @returns {Pair} */
  #pairOf({ what: kind, from, to, item }) {
    const hub = kind === 'trade' ? 'market' : kind === 'conversion' ? '' : item
    const [source, target] = [from, to].map((agent) => this.#node(agent, hub))
    const key = `${kind} ${source} ${target}`
    const pair = this.#pairs.get(key) ?? {
      ...{ kind, from: source, to: target, count: 0, t: -Infinity, items: new Map() }
    }
    this.#pairs.set(key, pair)
    return pair
  }

  /** Return an agent's or a hub's node; -1 if there is neither. @param {number} agent @param {string} hub */
  #node(agent, hub) {
    const name = this.model.agents[agent] ?? hub
    if (agent < 0 && !hub) return -1
    const node = this.#numbers.get(name) ?? this.#names.push(name) - 1
    this.#numbers.set(name, node)
    this.#agents[node] = agent
    return node
  }

  /** Forget all links; the next ones to count are an episode's first. */
  #rewind(episode = 0) {
    this.#episode = episode
    this.#passed = this.model.starts[episode].links
    this.#t = NaN
    this.#surveyed = -Infinity
    this.#conversions.clear()
    for (const pair of this.#pairs.values()) {
      pair.count = 0
      pair.t = -Infinity
      pair.items.clear()
    }
  }

  /** Show a moment. @param {number} t */
  draw(t) {
    if (t === this.#t) return
    const episode = this.model.episodeAt(t)
    if (t < this.#t || episode !== this.#episode) this.#rewind(episode)
    this.#t = t
    for (; this.#links[this.#passed]?.link.t <= t; this.#passed++) {
      const { link, pair } = this.#links[this.#passed]
      const { count, item } = link
      if (KINDS[pair.kind].isRated) pair.count = count
      else pair.count += count
      if (item && pair.kind !== 'vote' && pair.kind !== 'pay')
        pair.items.set(item, (pair.items.get(item) ?? 0) + count)
      pair.t = link.t
      if (KINDS[pair.kind].isSurveyed) this.#surveyed = link.t
      if (pair.kind === 'conversion') {
        const earlier = this.#conversions.get(pair.to)
        if (earlier && earlier !== pair) earlier.t = -Infinity
        this.#conversions.set(pair.to, pair)
      }
    }
    this.#show()
  }

  /** @param {string | null} agent */
  async select(agent) {
    this.#chosen = agent === null ? -1 : (this.#numbers.get(agent) ?? -2)
    this.#show()
  }

  #show() {
    const { rates, ballots } = this.model
    const law = [rates, ballots].map((all) => all.findLastIndex(({ t }) => t <= this.#t)).join()
    if (law !== this.#law) this.law.replaceChildren(...lawAt(this.model, this.#t))
    this.#law = law
    this.#tell()
    this.#paint()
    this.#tabling ||= setTimeout(() => {
      this.#tabling = 0
      this.rows.replaceChildren(...this.#table())
    }, TABLE_MS)
  }

  /** Write which episode is shown, and who are its priests and how many its converts. */
  #tell() {
    const number = this.model.starts[this.#episode].episode
    const { label } = this.#episodes.find(({ run }) => run === number) ?? {}
    const title = this.#episodes.length > 1 && label ? `Episode ${label}` : ''
    const levels = [...this.model.converted(this.#t).values()]
    const priests = levels.filter(({ believed }) => believed)
    const names = priests.map(({ agent }) => this.model.agents[agent]).join(', ')
    const shown = (this.model.levels.length ? [2, 1] : []).map((level) => {
      const converts = levels.filter((one) => !one.believed && one.level === level)
      return { level, text: `${directness(level)} converts: ${converts.length}` }
    })
    const text = shortened(`known priests: ${priests.length} (${names})`, MOST_LETTERS)
    if (priests.length) shown.unshift({ level: 2, text })
    const about = [title, ...shown.map(({ text }) => text)].join()
    if (about === this.#about) return
    this.#about = about
    const keys = shown.map(({ text, level }) =>
      el('span.key', {}, el('i', { style: `background:${levelColour(level)}` }), text)
    )
    this.about.replaceChildren(
      ...(title ? [el('h2', {}, title)] : []),
      el('div.kinds', {}, ...keys)
    )
  }

  /** Return the pairs to show, newest first. */
  #shown() {
    const chosen = this.#chosen
    return [...this.#pairs.values()]
      .filter(({ kind, t }) => t > -Infinity && !this.#hidden.has(kind))
      .filter(({ kind, t }) => !KINDS[kind].isSurveyed || t === this.#surveyed)
      .filter(({ from, to }) => chosen === -1 || from === chosen || to === chosen)
      .sort((a, b) => b.t - a.t)
  }

  #table() {
    const found = this.#shown()
    if (!found.length) return [el('p.none', {}, 'Nothing in this episode until now.')]
    const most = Math.ceil(MOST_ROWS / new Set(found.map(({ kind }) => kind)).size)
    const rows = ORDER.flatMap((wanted) => {
      const pairs = found.filter(({ kind }) => kind === wanted).sort((a, b) => b.count - a.count)
      return pairs.slice(0, most).map(({ kind, from, to, count, items }) => {
        const all = [...items].map(([item, n]) => `${n} ${item.replaceAll('_', ' ')}`).join(', ')
        const { verb, amount } = KINDS[kind]
        return [this.#names[from] ?? NOBODY, verb, this.#names[to], all || amount(count)]
      })
    })
    const more = found.length - rows.length
    return [
      table(['from', 'link', 'to', 'how much'], rows),
      ...(more ? [el('p.none', {}, `${more} links with smaller amounts are not listed.`)] : [])
    ]
  }

  // --- Graph -------------------------------------------------------------------------------------

  /** Place the nodes by all links of the run, so that they keep their places at all moments. */
  #arrange() {
    if (this.#arranged === this.#pairs.size) return
    this.#arranged = this.#pairs.size
    const totals = new Map()
    for (const { pair } of this.#links) {
      const key = [pair.from, pair.to].sort((a, b) => a - b).join(' ')
      if (pair.from >= 0) totals.set(key, (totals.get(key) ?? 0) + 1)
    }
    const most = Math.log1p([...totals.values()].reduce((a, b) => Math.max(a, b), 0))
    const edges = [...totals].map(([key, total]) => {
      const [a, b] = key.split(' ').map(Number)
      return /** @type {[number, number, number]} */ ([a, b, Math.log1p(total) / most])
    })
    this.#places = arranged(this.#names.length, edges, this.#places)
  }

  /** Return where a node is on the canvas. @param {number} node @returns {[number, number]} */
  #at(node) {
    const [width, height] = this.#size
    const { x, y } = this.#places[node]
    return [MARGIN + x * (width - 2 * MARGIN), MARGIN + y * (height - 2 * MARGIN)]
  }

  #paint() {
    const { pen, width, height } = sharp(this.canvas)
    if (!width || Number.isNaN(this.#t)) return
    this.#size = [width, height]
    this.#arrange()
    const pairs = this.#shown()
    const drawn = pairs.filter(({ from }) => from >= 0).slice(0, MOST_DRAWN)
    this.#paintLinks(pen, drawn)
    this.#paintNodes(pen, pairs)
    if (drawn.length > MOST_AMOUNTS) return
    for (const pair of drawn)
      label(pen, KINDS[pair.kind].amount(pair.count), ...this.#along(pair, 0.4))
  }

  /** @param {CanvasRenderingContext2D} pen @param {Pair[]} pairs newest first */
  #paintLinks(pen, pairs) {
    const [t, span] = [this.#t, this.model.end - this.model.start]
    const [fade, pulse] = [Math.max(FADE_S, span * FADE_PART), Math.max(PULSE_S, span * PULSE_PART)]
    const strength = Math.min(1, Math.sqrt(CROWD / pairs.length))
    const faintest = pairs.length <= CROWD ? 0.6 : this.#chosen < 0 ? 0.1 : 0.3
    /** @type {Map<string, Pair[]>} */
    const alike = new Map()
    for (const pair of pairs.toReversed()) {
      const key = `${pair.kind} ${Math.ceil(SHADES * Math.exp((pair.t - t) / fade))}`
      if (!alike.has(key)) alike.set(key, [])
      alike.get(key)?.push(pair)
    }
    for (const [key, those] of alike) {
      const [kind, shade] = key.split(' ')
      pen.strokeStyle = pen.fillStyle = KINDS[kind].shade
      pen.globalAlpha = strength * (faintest + (0.7 * (Number(shade) - 1)) / (SHADES - 1))
      pen.lineWidth = 1.5
      pen.beginPath()
      for (const pair of those) this.#bow(pen, pair)
      pen.stroke()
    }
    pen.globalAlpha = 1
    for (const pair of pairs.slice(0, MOST_POINTED)) {
      const age = (t - pair.t) / pulse
      pen.strokeStyle = pen.fillStyle = KINDS[pair.kind].shade
      if (age < 1) {
        pen.lineWidth = 0.6 + 2.4 * strength * (1 - age)
        pen.beginPath()
        this.#bow(pen, pair)
        pen.stroke()
      }
      const [x, y] = this.#along(pair, age < 1 ? age : 0.9)
      pen.globalAlpha = age < 1 ? 1 : strength * (0.2 + 0.6 * Math.exp((pair.t - t) / fade))
      pen.beginPath()
      pen.arc(x, y, age < 1 ? 2 + 2 * strength : 2, 0, 2 * Math.PI)
      pen.fill()
      pen.globalAlpha = 1
    }
    pen.lineWidth = 1
  }

  /** Return the ends and the control point of a link's curve; each kind has its own. @param {Pair} pair */
  #curve({ kind, from, to }) {
    const [[ax, ay], [bx, by]] = [this.#at(from), this.#at(to)]
    const bend = BEND * (1 + ORDER.indexOf(kind))
    return [ax, ay, (ax + bx) / 2 + bend * (by - ay), (ay + by) / 2 + bend * (ax - bx), bx, by]
  }

  /** @param {CanvasRenderingContext2D} pen @param {Pair} pair */
  #bow(pen, pair) {
    const [ax, ay, cx, cy, bx, by] = this.#curve(pair)
    pen.moveTo(ax, ay)
    pen.quadraticCurveTo(cx, cy, bx, by)
  }

  /**
   * Return a point of a link's curve.
   * @param {Pair} pair @param {number} part from 0 to 1 @returns {[number, number]}
   */
  #along(pair, part) {
    const [ax, ay, cx, cy, bx, by] = this.#curve(pair)
    const [a, c, b] = [(1 - part) ** 2, 2 * part * (1 - part), part ** 2]
    return [a * ax + c * cx + b * bx, a * ay + c * cy + b * by]
  }

  /** @param {CanvasRenderingContext2D} pen @param {Pair[]} pairs */
  #paintNodes(pen, pairs) {
    const count = this.#names.length
    const degrees = new Array(count).fill(0)
    for (const { from, to } of pairs) for (const node of [from, to]) if (node >= 0) degrees[node]++
    const most = Math.max(1, ...degrees)
    const shadeOf = shadesAt(this.model, this.#t)
    const [ink, paper] = [styled('--ink'), styled('--paper')]
    const order = [...degrees.keys()].sort((a, b) => degrees[b] - degrees[a])
    const unit = Math.min(2.2, Math.sqrt(500 / count))
    const size = (/** @type {number} */ node) => unit * (2 + 3 * Math.sqrt(degrees[node] / most))
    for (const node of order.toReversed()) {
      const [x, y] = this.#at(node)
      const [agent, radius] = [this.#agents[node], size(node)]
      pen.globalAlpha = degrees[node] ? 1 : 0.3
      pen.fillStyle = agent < 0 ? ink : shadeOf(agent)
      pen.strokeStyle = node === this.#chosen ? ink : paper
      pen.lineWidth = node === this.#chosen ? 3 : 1
      pen.beginPath()
      if (agent < 0) pen.rect(x - radius, y - radius, 2 * radius, 2 * radius)
      else pen.arc(x, y, radius, 0, 2 * Math.PI)
      pen.fill()
      pen.stroke()
    }
    pen.globalAlpha = pen.lineWidth = 1
    const isNamed = (/** @type {number} */ node, /** @type {number} */ rank) =>
      count <= MOST_NAMES ||
      node === this.#chosen ||
      this.#agents[node] < 0 ||
      (degrees[node] > 0 && (this.#chosen >= 0 || rank < MOST_HUBS))
    const room = new Room()
    pen.font = '12px system-ui'
    for (const node of order.filter(isNamed)) {
      const [[at, y], away] = [this.#at(node), size(node)]
      const name = shortened(this.#names[node])
      const half = pen.measureText(name).width / 2
      const x = Math.max(half, Math.min(this.#size[0] - half, at))
      const places = [y - away - 4, y + away + 13].map(
        (up) => /** @type {[number, number]} */ ([x, up])
      )
      room.label(pen, name, places, node === this.#chosen || this.#agents[node] < 0)
    }
  }

  /** Select the agent at a point. @param {MouseEvent} event */
  #click({ offsetX, offsetY }) {
    let [best, distance] = [-1, NEAR_PIXELS]
    for (const node of this.#places.keys()) {
      const [x, y] = this.#at(node)
      const away = Math.hypot(x - offsetX, y - offsetY)
      if (away < distance) [best, distance] = [node, away]
    }
    this.onSelect(best < 0 ? -1 : this.#agents[best])
  }
}

/**
 * Show the tax rate in force on a dial, and the votes for amendments in the same episode.
 * @param {import('./model.js').Model} model @param {number} t
 */
function lawAt(model, t) {
  const { rates } = model
  const now = rates.findLast((one) => one.t <= t)
  if (!now) return []
  const whole = Math.ceil(10 * Math.max(...rates.map(({ rate }) => rate))) / 10
  const text = `${show(100 * now.rate)} %`
  const dial = el(
    'div.dial',
    { style: `--part: ${now.rate / whole}`, role: 'img', 'aria-label': `Tax rate: ${text}` },
    el('b', {}, text)
  )
  const parts = [
    el('figure', {}, dial, el('figcaption', {}, `tax rate, of 0 to ${show(100 * whole)} %`))
  ]
  return [...parts, ballotsAt(model, t, now.episode)]
}

/**
 * List the amendments of an episode, each with the votes up to a moment.
 * @param {import('./model.js').Model} model @param {number} t @param {number} episode
 * @param {Map<number, string>} [words] of the amendments, by their number
 */
export function ballotsAt({ ballots }, t, episode, words) {
  const now = ballots.filter((one) => one.t <= t && one.episode === episode)
  const latest = new Map(now.map((one) => [one.number, one]))
  const rows = [...latest.values()].map(({ number, yes, no, abstain, outcome }) => {
    const bar = el('div.ballot', { 'aria-hidden': 'true' })
    for (const [name, votes] of Object.entries({ yes, no, abstain }))
      bar.append(el(`i.${name}`, { style: `flex: ${votes}` }))
    const text = words?.has(number) ? `, “${words.get(number)}”` : ''
    const told = `${yes} yes, ${no} no${abstain ? `, ${abstain} abstain` : ''}`
    return el('li', {}, `Amendment ${number}${text}: ${told}${outcome ? `; ${outcome}` : ''}`, bar)
  })
  return el('ul.ballots', {}, ...rows)
}
