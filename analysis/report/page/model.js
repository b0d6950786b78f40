/** A run's data received so far, in columns, with queries about a moment. */

import { gap, joined, nowhere, spot, Walk } from 'report/walk.js'
import { Column } from 'report/column.js'
import { keyed } from 'report/gathering.js'

/**
 * A batch without its texts; the tables are described in `analysis/report/encoder.py`.
 * @typedef {Record<string, any> & {agents: string[], items: string[], kinds: [string, string][]}} Head
 */
/** @typedef {{t: number, text: string, detail: any, row: number, kind: string, agent: string | null, episode: number}} Told */
/** @typedef {{t: number, block: string, x: number, z: number, count: number}} Change */
/** @typedef {{t: number, block: string, x: number, y: number, z: number}} Placed */
/** @typedef {{t: number, what: string, from: number, to: number, count: number, item: string}} Link */
/** @typedef {{run: number, t: number, end: number, label: string}} Episode */
/** @typedef {{t: number, agent: number, level: number, believed: boolean}} Level `believed`: as priests do */
/** @typedef {'links' | 'levels' | 'groups' | 'deeds'} OfEpisodes a table that counts what happens in an episode */

/**
 * An agent farther from the centre than this multiple of the usual distance does not affect the
 * map's extent.
 */
const FAR = 6
/** Villages that are farther apart than this, in blocks, are not shown together. */
export const APART = 1500
/** Width of land, in blocks, above which scenery grows with it, as figures do. */
const FULL_SIZE = 120
/** Maximum duration in seconds between two samples that are connected by a line. */
const LONGEST_WALK_S = 15
/** Maximum duration of a step from a cell of a grid to the next, in seconds. */
const STEP_S = 1

/**
 * Append any number of values; a function call accepts only a limited number of arguments.
 * @param {any[]} all @param {any[]} more
 */
const append = (all, more) => more.forEach((one) => all.push(one))

/**
 * Return whether two cells are the same or neighbours.
 * @param {number[]} one @param {number[]} other
 */
const areNear = (one, other) => one.every((part, k) => Math.abs(part - other[k]) <= 1)

/** Least radius of the table around which agents without positions sit, in blocks. */
const SEAT_BLOCKS = 3
/** Lanes whose events belong to what a run is about. */
const ACTIVE = ['talk', 'code', 'mind', 'rules']
/** Open land around the outermost agents and places, as much as scenery needs, in blocks. */
const MARGIN = 10
/** World that is shown if none was recorded. */
const OPEN_LAND = { t: 0, ground: [], blocks: {}, places: {} }

export class Model {
  /** @type {string[]} */ agents = []
  /** @type {string[]} */ items = []
  /** @type {{name: string, lane: string}[]} */ kinds = []
  /** Built worlds, in order. @type {any[]} */ worlds = []
  /** @type {Record<string, any[]>} */ calls = {}
  /** @type {any} */ summary = {}
  rows = { t: new Column(), episode: new Column(), kind: new Column(), agent: new Column() }
  /** First row of each batch. @type {number[]} */ #firsts = []
  /** @type {Walk[]} */ #walks = []
  /** Whether all positions are whole numbers, as the cells of a grid. */ #areWhole = true
  /** @type {Holding[]} */ #held = []
  /** Levels of conversion. @type {Level[]} */ levels = []
  /**
   * Start of each attempt at an episode, and the numbers of rows of the tables before it.
   * @type {({t: number, episode: number} & Record<OfEpisodes, number>)[]}
   */
  starts = [{ t: -Infinity, episode: 0, links: 0, levels: 0, groups: 0, deeds: 0 }]
  /** Start of each chapter of the story. @type {{t: number, agent: number, title: string}[]} */
  chapters = []
  /** Chart → series → points. @type {Map<string, Map<string, [number, number][]>>} */ points =
    new Map()
  /** Block counts in columns, valid from `t` on. @type {Change[]} */ columns = []
  /** Blocks at positions, valid from `t` on, in order. @type {Placed[]} */ places = []
  /** Chunks of natural land, as first seen. @type {any[]} */ lands = []
  /** Blocks that digging exposed. @type {Omit<Placed, 't'>[]} */ bared = []
  /** Roles of agents, valid from `t` on. @type {{t: number, agent: number, role: string}[]} */
  roles = []
  /** Members of a society, valid from `t` on. @type {{t: number, agents: Set<number>}[]} */ casts =
    []
  /** Links from one agent to another (-1: none, or a hub), almost in order. @type {Link[]} */
  links = []
  /** Tax rates, in force from `t` on. @type {{t: number, episode: number, rate: number}[]} */
  rates = []
  /**
   * Votes for amendments up to `t`; `outcome` is empty before they are counted.
   * @type {{t: number, episode: number, number: number, yes: number, no: number, abstain: number, outcome: string}[]}
   */
  ballots = []
  /**
   * Groups of an agent, valid from `t` on.
   * @type {{t: number, agent: number, groups: Record<string, number>}[]}
   */
  groups = []
  /**
   * Counted actions of agents.
   * @type {{t: number, agent: number, what: string, count: number}[]}
   */
  deeds = []
  /** What the world itself counts. */ counted = /** @type {Set<string>} */ (new Set())
  end = 0
  /** First moment that is worth showing: what comes before prepares the run. */ start = 0
  #hasStarted = false

  /** @param {import('./source.js').Source} source */
  constructor(source) {
    this.source = source
  }

  /** @param {Head} head */
  add(head) {
    append(this.agents, head.agents)
    append(this.items, head.items)
    this.kinds.push(...head.kinds.map(([name, lane]) => ({ name, lane })))
    this.worlds.push(...head.worlds)
    this.#firsts.push(this.rows.t.length)
    for (const name of /** @type {const} */ (['t', 'episode', 'kind', 'agent'])) {
      this.rows[name].push(head.rows[name])
    }
    this.#addMoves(head.moves)
    this.#addHeld(head.held)
    each(head.starts, (t, episode, links, levels, groups, deeds) =>
      this.starts.push({
        t,
        episode,
        links: this.links.length + links,
        levels: this.levels.length + levels,
        groups: this.groups.length + groups,
        deeds: this.deeds.length + deeds
      })
    )
    each(head.chapters, (t, agent, title) => this.chapters.push({ t, agent, title }))
    each(head.levels, (t, agent, level, believed) =>
      this.levels.push({ t, agent, level, believed })
    )
    each(head.points, (t, chart, series, y) => this.#addPoint(t, chart, series, y))
    each(head.columns, (t, block, x, z, count) => this.columns.push({ t, block, x, z, count }))
    each(head.places, (t, block, x, y, z) => this.places.push({ t, block, x, y, z }))
    each(head.bared, (block, x, y, z) => this.bared.push({ block, x, y, z }))
    each(head.roles, (t, agent, role) => this.roles.push({ t, agent, role }))
    each(head.casts, (t, agents) => this.casts.push({ t, agents: new Set(agents) }))
    each(head.links, (t, what, from, to, count, item) =>
      this.links.push({ t, what, from, to, count, item })
    )
    each(head.rates, (t, episode, rate) => this.rates.push({ t, episode, rate }))
    each(head.ballots, (t, episode, number, yes, no, abstain, outcome) =>
      this.ballots.push({ t, episode, number, yes, no, abstain, outcome })
    )
    each(head.groups, (t, agent, groups) => this.groups.push({ t, agent, groups }))
    each(head.counted, (action, item) => this.counted.add(keyed(action, item)))
    each(head.deeds, (t, agent, what, count) => this.deeds.push({ t, agent, what, count }))
    this.lands.push(...head.lands)
    const { t } = this.rows
    this.end = Math.max(this.end, t.length ? t.at(t.length - 1) : 0)
    this.#begin(this.#firsts.at(-1) ?? 0)
  }

  /**
   * Find the first episode, or the first words, thoughts, programs or rules before it.
   * @param {number} since first row of the batch
   */
  #begin(since) {
    const { t, kind } = this.rows
    for (let row = since; row < t.length && !this.#hasStarted; row++) {
      const { name, lane } = this.kinds[kind.at(row)]
      this.#hasStarted = name === 'episode_started' || ACTIVE.includes(lane)
      if (this.#hasStarted) this.start = t.at(row)
    }
  }

  /** @param {any} moves */
  #addMoves(moves) {
    each(moves, (t, agent, x, y, z) => {
      const walk = (this.#walks[agent] ??= new Walk())
      const world = this.world(t)
      this.#areWhole &&= Number.isInteger(x) && Number.isInteger(z)
      // At the moment that a world begins, only an agent's last position belongs to it.
      const isFirst = t <= world.t || walk.leaps(x, z)
      const box = (!isFirst && walk.boxes.get(world)) || nowhere()
      walk.boxes.set(world, joined(box, spot(x, z)))
      walk.t.add(t)
      walk.x.add(x)
      walk.y.add(y)
      walk.z.add(z)
      if (t > this.end) this.end = t
    })
  }

  /** @param {any} held */
  #addHeld(held) {
    each(held, (t, agent, item, count) => {
      const holding = (this.#held[agent] ??= new Map())
      if (!holding.has(item)) holding.set(item, [])
      holding.get(item)?.push([t, count])
    })
  }

  /** @param {number} t @param {string} chart @param {string} series @param {number} y */
  #addPoint(t, chart, series, y) {
    if (!this.points.has(chart)) this.points.set(chart, new Map())
    const found = /** @type {Map<string, [number, number][]>} */ (this.points.get(chart))
    if (!found.has(series)) found.set(series, [])
    const points = /** @type {[number, number][]} */ (found.get(series))
    if (points.at(-1)?.[0] === t) points.pop()
    points.push([t, y])
  }

  /** @param {Record<string, any[]>} calls */
  addCalls(calls) {
    for (const [name, values] of Object.entries(calls)) append((this.calls[name] ??= []), values)
  }

  /**
   * Return the extent of a world's agents and of its places on open land, without outliers. Of
   * villages that are far apart, only one is shown.
   * @param {any} world @param {number} [within] an agent of that village; -1: the first village
   * @returns {import('./walk.js').Box}
   */
  extent(world, within = -1) {
    if (!this.#walks.length && this.agents.length) {
      const far = SEAT_BLOCKS + this.agents.length / 4
      return { west: -far, east: far, north: -far, south: far }
    }
    const boxes = this.#walks.flatMap(({ boxes }, agent) => {
      const box = boxes.get(world)
      return box && this.#lives(agent, world.t) ? [box] : []
    })
    const middles = boxes.map((box) => [(box.west + box.east) / 2, (box.north + box.south) / 2])
    const centre = [median(middles.map(([x]) => x)), median(middles.map(([, z]) => z))]
    const away = middles.map(([x, z]) => Math.hypot(x - centre[0], z - centre[1]))
    const far = FAR * median(away)
    const places = world.ground.length ? Object.values(world.places) : []
    const all = [
      ...boxes.filter((_, k) => !far || away[k] <= far),
      ...places.map(([x, , z]) => spot(x, z))
    ]
    const first = this.#walks[within]?.boxes.get(world) ?? all[0] ?? nowhere()
    return all.reduce((a, b) => (gap(a, b) < APART ? joined(a, b) : a), first)
  }

  /** Return the factor by which scenery of a world is enlarged. @param {any} world */
  growth(world) {
    const { west, east, north, south } = this.extent(world)
    return Math.max(1, Math.max(east - west, south - north) / FULL_SIZE)
  }

  /**
   * Return the ground of a world: block, x, z, last x, last z; open land covers all positions of
   * agents.
   * @param {any} world @returns {[string, number, number, number, number][]}
   */
  groundOf(world) {
    const { west, east, north, south } = this.extent(world)
    const margin = MARGIN * this.growth(world)
    return world.ground.map((/** @type {[string, number, number, number, number]} */ part) => {
      const [block, x, z, x1, z1] = part
      if (block !== 'land' || west > east) return part
      const near = [Math.min(x, west), Math.min(z, north)].map((at) => Math.floor(at - margin))
      const far = [Math.max(x1, east), Math.max(z1, south)].map((at) => Math.ceil(at + margin))
      return [block, ...near, ...far]
    })
  }

  /** Return the ground of the world at a moment. @param {number} t */
  ground(t) {
    return this.groundOf(this.world(t))
  }

  // --- Queries -----------------------------------------------------------------------------------

  /**
   * Return an agent's position at a moment, interpolated between nearby samples; null before its
   * first sample. On a grid, an agent stands in its cell until its last step to the next cell, because
   * some grids record only changes. A figure jumps to a cell that is not a neighbour.
   * @param {number} agent @param {number} t @returns {[number, number] | null}
   */
  position(agent, t) {
    const place = this.place(agent, t)
    return place && [place[0], place[2]]
  }

  /**
   * Return an agent's position with its height: x, y, z.
   * @param {number} agent @param {number} t @returns {[number, number, number] | null}
   */
  place(agent, t) {
    if (!this.#walks.length) return this.world(t).ground.length ? null : this.#seat(agent)
    const walk = this.#walks[agent]
    const at = walk && this.#lives(agent, t) ? walk.t.before(t) : -1
    if (at < 0) return null
    const here = walk.at(at)
    if (at + 1 >= walk.t.length) return here
    const [from, to] = [walk.t.at(at), walk.t.at(at + 1)]
    if (to - from > LONGEST_WALK_S || to === from) return here
    if (this.starts[this.episodeAt(from) + 1]?.t <= to) return here // the next one is in another episode
    const [isGrid, there] = [this.middle(this.world(t)) > 0, walk.at(at + 1)]
    if (isGrid && !areNear(here, there)) return here
    const start = isGrid ? Math.max(from, to - STEP_S) : from
    const part = Math.max(0, (t - start) / (to - start))
    const between = (/** @type {number} */ k) => here[k] + part * (there[k] - here[k])
    return [between(0), between(1), between(2)]
  }

  /**
   * Return the offset from an agent's position to the middle of where it stands: on a grid, positions
   * are cells.
   * @param {any} world
   */
  middle(world) {
    const ground = world.ground[0]?.[0]
    return ground === 'floor' || (ground && ground !== 'land' && this.#areWhole) ? 0.5 : 0
  }

  /**
   * Return a seat at a round table, for the agents of a run without a world.
   * @param {number} agent @returns {[number, number, number] | null}
   */
  #seat(agent) {
    const turn = (2 * Math.PI * agent) / this.agents.length - Math.PI / 2
    const radius = SEAT_BLOCKS + this.agents.length / 4
    return this.agents.length ? [radius * Math.cos(turn), 0, radius * Math.sin(turn)] : null
  }

  /**
   * Return whether an agent exists at a moment; agents of a society's other episodes do not.
   * @param {number} agent @param {number} t
   */
  #lives(agent, t) {
    const cast = this.casts.findLast((one) => one.t <= t)
    return !cast || cast.agents.has(agent)
  }

  /**
   * Return the samples of an agent between two times.
   * @param {number} agent @param {number} from @param {number} to @returns {[number, number][]}
   */
  trail(agent, from, to) {
    const walk = this.#walks[agent]
    if (!walk) return []
    /** @type {[number, number][]} */
    const found = []
    for (let k = walk.t.before(to); k >= 0 && walk.t.at(k) >= from; k--) {
      found.push([walk.x.at(k), walk.z.at(k)])
    }
    return found
  }

  /**
   * Return an agent's items at a moment.
   * @param {number} agent @param {number} t @returns {[string, number][]}
   */
  holds(agent, t) {
    const found = [...(this.#held[agent] ?? [])].map(([item, points]) => {
      const at = lastBefore(points, t)
      return /** @type {[string, number]} */ ([this.items[item], at < 0 ? 0 : points[at][1]])
    })
    return found.filter(([, count]) => count > 0)
  }

  /**
   * Return the count of each item over time, for one agent or (-1) for all agents together.
   * @param {number} agent @returns {Map<string, [number, number][]>}
   */
  holdings(agent) {
    if (agent >= 0) {
      return new Map([...(this.#held[agent] ?? [])].map(([i, points]) => [this.items[i], points]))
    }
    /** Item → its changes. @type {Map<number, [number, number][]>} */
    const changes = new Map()
    for (const holding of this.#held) {
      for (const [item, points] of holding ?? []) {
        const found = changes.get(item) ?? changes.set(item, []).get(item)
        points.forEach(([t, count], k) => found?.push([t, count - (points[k - 1]?.[1] ?? 0)]))
      }
    }
    return new Map([...changes].map(([item, found]) => [this.items[item], summed(found)]))
  }

  /** Return the number of the attempt at an episode at a moment, from 0. @param {number} t */
  episodeAt(t) {
    return Math.max(
      0,
      this.starts.findLastIndex((start) => start.t <= t)
    )
  }

  /**
   * Return the rows of a table that belong to an attempt at an episode.
   * @template {OfEpisodes} Name
   * @param {Name} name @param {number} episode @returns {Model[Name]}
   */
  ofEpisode(name, episode) {
    const [first, end] = [this.starts[episode], this.starts[episode + 1]].map((one) => one?.[name])
    return /** @type {Model[Name]} */ (this[name].slice(first, end))
  }

  /**
   * Return the latest level of conversion of each agent in an episode up to a moment. Priests are
   * priests from its start: events say who they are only when they first speak of the faith, and the
   * result of a finished run also names the others.
   * @param {number} t @returns {Map<number, Level>}
   */
  converted(t) {
    const episode = this.episodeAt(t)
    const told = this.ofEpisode('levels', episode).filter((one) => one.believed || one.t <= t)
    const { priests, treated } = this.summary.result?.runs?.[this.starts[episode].episode] ?? {}
    const silent = this.agents.flatMap((name, agent) =>
      priests && Array.isArray(treated) && treated.includes(name)
        ? [{ t: this.start, agent, level: 2, believed: true }]
        : []
    )
    return new Map([...silent, ...told].map((one) => [one.agent, one]))
  }

  /**
   * Return the world that was last built before a moment; open land if there was none yet.
   * @param {number} t @returns {any}
   */
  world(t) {
    return this.worlds.findLast((world) => world.t <= t + 1e-6) ?? this.worlds[0] ?? OPEN_LAND
  }

  /** Return the number of rows up to a moment. @param {number} t */
  rowsUntil(t) {
    return this.rows.t.before(t) + 1
  }

  // --- Texts, unpacked on demand -----------------------------------------------------------------

  /** @param {number} row @returns {Promise<Told>} */
  async told(row) {
    const batch = this.#batchOf(row)
    const { texts, details } = await this.source.body(batch)
    const k = row - this.#firsts[batch]
    const agent = this.rows.agent.at(row)
    return {
      row,
      t: this.rows.t.at(row),
      episode: this.rows.episode.at(row),
      kind: this.kinds[this.rows.kind.at(row)].name,
      agent: agent < 0 ? null : this.agents[agent],
      text: texts[k],
      detail: details[k]
    }
  }

  /** @param {number} row */
  #batchOf(row) {
    let [low, high] = [0, this.#firsts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (this.#firsts[middle] <= row) low = middle
      else high = middle
    }
    return low
  }

  /**
   * Return the newest row up to a moment with one of some kinds and an agent; -1 if there is none.
   * @param {string[]} wanted @param {number} agent @param {number} t @param {number} [since]
   */
  newest(wanted, agent, t, since = -Infinity) {
    const isWanted = this.kinds.map(({ name }) => wanted.includes(name))
    for (let row = this.rowsUntil(t) - 1; row >= 0 && this.rows.t.at(row) >= since; row--) {
      if (this.rows.agent.at(row) === agent && isWanted[this.rows.kind.at(row)]) return row
    }
    return -1
  }

  /**
   * Return the newest model call for an agent up to a moment; -1 if there is none.
   * @param {number} agent @param {number} t
   */
  newestCall(agent, t) {
    const { agent: agents = [], t: times = [] } = this.calls
    return agents.findLastIndex((name, k) => name === this.agents[agent] && times[k] <= t)
  }

  /**
   * Return all rows with one of some kinds, in order.
   * @param {string[]} kinds @returns {number[]}
   */
  rowsOf(kinds) {
    const wanted = this.kinds.map(({ name }) => kinds.includes(name))
    const { kind } = this.rows
    const found = []
    for (let row = 0; row < kind.length; row++) if (wanted[kind.at(row)]) found.push(row)
    return found
  }

  /** Return all attempts at episodes so far, with their times. @returns {Promise<Episode[]>} */
  async episodes() {
    const rows = this.rowsOf(['episode_started', 'episode_ended', 'condition_started'])
    /** @type {Episode[]} */
    const found = []
    let number = 0
    for (const told of await Promise.all(rows.map((row) => this.told(row)))) {
      const last = found.at(-1)
      if (told.kind === 'episode_started') {
        const attempt = told.detail?.attempt ?? 1
        if (attempt === 1) number += 1
        const label = attempt === 1 ? `${number}` : `${number}, attempt ${attempt}`
        found.push({ run: told.episode, t: told.t, end: this.end, label })
      } else if (last && told.kind === 'condition_started') {
        last.label += `: ${told.detail?.condition}`
      } else if (last) last.end = told.t
    }
    return found
  }
}

/** @param {number[]} values */
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** @typedef {Map<number, [number, number][]>} Holding */

/**
 * Call a function for each row of a table of columns.
 * @param {Record<string, any[]>} table @param {(...row: any[]) => void} take
 */
function each(table, take) {
  const columns = Object.values(table)
  for (let k = 0; k < columns[0].length; k++) take(...columns.map((column) => column[k]))
}

/**
 * @param {[number, number][]} points @param {number} t
 * @returns {number} index of the last point before t, or -1
 */
function lastBefore(points, t) {
  let [low, high] = [-1, points.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (points[middle][0] <= t) low = middle
    else high = middle
  }
  return low
}

/**
 * Return the running sum of changes in order of time.
 * @param {[number, number][]} changes @returns {[number, number][]}
 */
function summed(changes) {
  let sum = 0
  changes.sort(([a], [b]) => a - b)
  return changes.map(([t, change]) => [t, (sum += change)])
}
