/** Timeline with the shown moment and the episodes: one lane per group of events. */

import { byId, clock, moments, sharp, styled } from 'report/elements.js'

const LABEL_PIXELS = 56
/** Height of the line with the episodes' numbers, and of the line with times, in pixels. */
const [TOP, BOTTOM] = [12, 14]
/** Minimum height of a lane that is labelled, in pixels. */
const MIN_LABELLED = 9
const LANE_COLOURS = ['--talk', '--world', '--code', '--mind', '--rules', '--run']
/** Duration in seconds of the playback of an episode, or of the whole run. */
const PLAYBACK_S = 60

export class Timeline {
  t = 0
  /** True if the newest moment is shown. */ isAtEnd = true
  /** True if the user chose the shown moment. */ isChosen = false
  /** @type {import('./model.js').Episode[]} */ episodes = []
  #playing = false
  #lastFrame = 0
  /** For each lane, the number of events in each time bin. @type {Float32Array[]} */ #density = []
  #counted = { rows: 0, end: 0, width: 0, lanes: 0 }

  /** @param {import('./model.js').Model} model @param {(t: number) => void} onTime */
  constructor(model, onTime) {
    this.model = model
    this.onTime = onTime
    this.canvas = /** @type {HTMLCanvasElement} */ (byId('lanes'))
    this.slider = /** @type {HTMLInputElement} */ (byId('time'))
    this.slider.addEventListener('input', () => this.go(Number(this.slider.value), false))
    byId('play').addEventListener('click', () => this.play(!this.#playing))
    byId('back').addEventListener('click', () => this.step(-1))
    byId('next').addEventListener('click', () => this.step(1))
    this.canvas.addEventListener('pointerdown', (event) => this.#scrub(event))
    new ResizeObserver(() => this.draw()).observe(this.canvas)
  }

  /** Show a moment. @param {number} t @param {boolean} [goesOn] continue playback */
  go(t, goesOn = true) {
    if (!goesOn) this.play(false)
    this.t = Math.min(Math.max(t, 0), this.model.end)
    this.isAtEnd = this.t >= this.model.end && !this.#playing
    this.isChosen = !goesOn && !this.isAtEnd
    this.slider.value = String(this.t)
    this.slider.setAttribute('aria-valuetext', clock(this.t))
    this.draw()
    this.onTime(this.t)
  }

  /** Handle newly received data of the run. */
  grown() {
    this.slider.min = String(this.model.start)
    this.slider.max = String(this.model.end)
    this.draw()
  }

  /** Go to the next or previous event. @param {number} direction 1 or -1 */
  step(direction) {
    const { t } = this.model.rows
    if (direction > 0) {
      const row = t.before(this.t + 1e-6) + 1
      this.go(row < t.length ? t.at(row) : this.model.end, false)
    } else {
      const row = t.before(this.t - 1e-6)
      this.go(row >= 0 ? t.at(row) : this.model.start, false)
    }
  }

  /** @param {boolean} playing */
  play(playing) {
    if (playing === this.#playing) return
    this.#playing = playing
    const button = byId('play')
    button.textContent = playing ? '❚❚' : '▶'
    button.setAttribute('aria-label', playing ? 'Pause' : 'Play')
    if (!playing) return
    if (this.t >= this.model.end) this.t = this.model.start
    this.isAtEnd = false
    this.#lastFrame = performance.now()
    requestAnimationFrame((now) => this.#frame(now))
  }

  /** @param {number} now */
  #frame(now) {
    if (!this.#playing) return
    const chosen = /** @type {HTMLSelectElement} */ (byId('rate')).value
    const span = chosen === 'whole' ? this.#span : this.#episodeSpan()
    const rate = Number(chosen) || span / PLAYBACK_S
    const passed = Math.max(0, now - this.#lastFrame) / 1000
    this.#lastFrame = now
    this.go(this.t + passed * rate)
    if (this.t >= this.model.end) this.go(this.t, false)
    requestAnimationFrame((next) => this.#frame(next))
  }

  /** Return the duration of the shown episode, in seconds of the run. */
  #episodeSpan() {
    const at = Math.max(
      0,
      this.episodes.findLastIndex(({ t }) => t <= this.t)
    )
    const [start, end] = [this.episodes[at]?.t, this.episodes[at + 1]?.t]
    return (end ?? this.model.end) - (start ?? this.model.start)
  }

  /** @param {PointerEvent} down */
  #scrub(down) {
    const box = this.canvas.getBoundingClientRect()
    const to = (/** @type {PointerEvent} */ event) => {
      const part = (event.clientX - box.left - LABEL_PIXELS) / (box.width - LABEL_PIXELS)
      this.go(this.model.start + Math.max(0, part) * this.#span, false)
    }
    to(down)
    window.addEventListener('pointermove', to)
    window.addEventListener('pointerup', () => window.removeEventListener('pointermove', to), {
      once: true
    })
  }

  draw() {
    const { pen, width, height } = sharp(this.canvas)
    if (!width) return
    /** @type {string[]} */
    const lanes = this.model.summary.lanes ?? []
    const bins = Math.max(1, Math.floor(width - LABEL_PIXELS))
    this.#count(lanes, bins)
    const top = this.episodes.length > 1 ? TOP : 0
    const tall = (height - top - BOTTOM) / lanes.length
    const at = (/** @type {number} */ t) =>
      LABEL_PIXELS + ((t - this.model.start) / this.#span) * bins
    pen.font = '11px system-ui'
    this.#drawEpisodes(pen, at, height)
    pen.fillStyle = styled('--faint')
    for (const t of moments(this.model.start, this.model.end, bins)) {
      const text = clock(t).replace(/\.0$/, '')
      if (at(t) + pen.measureText(text).width < width) pen.fillText(text, at(t) + 2, height - 2)
    }
    lanes.forEach((lane, k) => {
      const y = top + k * tall
      pen.fillStyle = styled('--faint')
      if (tall >= MIN_LABELLED) pen.fillText(lane, 4, y + tall / 2 + 4)
      pen.fillStyle = styled(LANE_COLOURS[k])
      this.#density[k].forEach((count, bin) => {
        if (!count) return
        pen.globalAlpha = Math.min(1, 0.5 + 0.2 * Math.log10(count + 1))
        pen.fillRect(LABEL_PIXELS + bin, y + 1, 1.5, Math.max(2, tall - 3))
      })
      pen.globalAlpha = 1
    })
    pen.fillStyle = styled('--ink')
    pen.fillRect(at(Math.max(this.t, this.model.start)) - 0.75, 0, 1.5, height)
  }

  /** Duration that the timeline shows, in seconds; never 0. */
  get #span() {
    return this.model.end - this.model.start || 1
  }

  /**
   * Mark the starts of episodes, with their numbers where there is room.
   * @param {CanvasRenderingContext2D} pen @param {(t: number) => number} at @param {number} height
   */
  #drawEpisodes(pen, at, height) {
    if (this.episodes.length < 2) return
    let free = 0
    for (const { t, label } of this.episodes) {
      pen.fillStyle = styled('--line')
      pen.fillRect(at(t) - 0.5, 0, 1, height)
      const text = `episode ${label}`
      if (at(t) < free) continue
      pen.fillStyle = styled('--ink')
      pen.fillText(text, at(t) + 4, 10)
      free = at(t) + pen.measureText(text).width + 12
    }
  }

  /** @param {string[]} lanes @param {number} bins */
  #count(lanes, bins) {
    const { rows, kinds, start, end } = this.model
    const counted = { rows: rows.t.length, end, width: bins, lanes: lanes.length }
    if (JSON.stringify(counted) === JSON.stringify(this.#counted)) return
    this.#counted = counted
    this.#density = lanes.map(() => new Float32Array(bins))
    const laneOf = kinds.map(({ lane }) => Math.max(0, lanes.indexOf(lane)))
    for (let row = 0; row < rows.t.length; row++) {
      const part = Math.max(0, rows.t.at(row) - start) / this.#span
      const bin = Math.min(bins - 1, Math.floor(part * bins))
      this.#density[laneOf[rows.kind.at(row)]][bin]++
    }
  }
}
