/** View of the world: as a plan, or in 3D. */

import { byId } from 'report/elements.js'
import { WorldMap } from 'report/map.js'
import { readPack } from 'report/pack.js'
import { Scene } from 'report/scene.js'

const ZOOM = 1.25

export class Stage {
  /**
   * @param {import('./model.js').Model} model @param {(agent: number) => void} onSelect
   * @param {() => void} onChange called when another view is selected
   */
  constructor(model, onSelect, onChange) {
    this.model = model
    this.plan = new WorldMap(model, onSelect)
    this.scene = new Scene(model, onSelect)
    this.onChange = onChange
    this.isSolid = false
    this.slider = /** @type {HTMLInputElement} */ (byId('slice'))
    byId('as-plan').addEventListener('click', () => this.choose(false))
    byId('as-solid').addEventListener('click', () => this.choose(true))
    byId('free').addEventListener('click', () => this.#free(!this.scene.camera.isFree))
    this.slider.addEventListener('input', () => this.#slice())
    byId('pack').addEventListener('change', () => this.#dress(byId('pack').files[0]))
    for (const [id, factor] of /** @type {[string, number][]} */ ([
      ['nearer', ZOOM],
      ['farther', 1 / ZOOM]
    ])) {
      byId(id).addEventListener('click', () =>
        this.isSolid ? this.scene.steering.zoom(1 / factor) : this.plan.zoom(factor)
      )
    }
    byId('whole').addEventListener('click', () => this.#shown().whole())
  }

  #shown() {
    return this.isSolid ? this.scene : this.plan
  }

  /**
   * Show the 3D view if it is requested and the browser supports it; otherwise show the plan.
   * @param {boolean} isSolid
   */
  choose(isSolid) {
    const isPossible = !isSolid || this.scene.isPossible
    this.isSolid = isSolid && isPossible
    byId('no-solid').hidden = isPossible
    byId('map').hidden = this.isSolid
    byId('solid').hidden = byId('solid-bar').hidden = !this.isSolid
    this.scene.canvas.hidden = !this.isSolid
    byId('as-plan').setAttribute('aria-pressed', String(!this.isSolid))
    byId('as-solid').setAttribute('aria-pressed', String(this.isSolid))
    if (this.isSolid) this.scene.whole()
    this.#offerHeights()
    this.draw(this.t)
    this.onChange()
  }

  #offerHeights() {
    if (!this.isSolid) return
    const [low, high] = this.scene.heights
    // a flat world has nothing to cut away
    for (const part of [byId('slice').parentElement, byId('slice-at')]) part.hidden = low >= high
    const isAll = !this.slider.max || this.slider.value === this.slider.max
    Object.assign(this.slider, { min: String(low), max: String(high) })
    if (isAll) this.slider.value = String(high)
    this.#tellSlice()
  }

  #slice() {
    const isAll = this.slider.value === this.slider.max
    this.scene.slice(isAll ? Infinity : Number(this.slider.value))
    this.#tellSlice()
  }

  #tellSlice() {
    const isAll = this.slider.value === this.slider.max
    const part = isAll ? 'all' : `up to ${this.slider.value}`
    const { leftOut } = this.scene
    const text = leftOut ? `${part}, without ${leftOut} plants: too many to draw` : part
    byId('slice-at').textContent = text
    this.slider.setAttribute('aria-valuetext', text)
  }

  /** @param {File | undefined} file a resource pack */
  async #dress(file) {
    if (!file) return
    try {
      this.scene.dress(await readPack(file))
      byId('state').textContent = ''
    } catch (error) {
      byId('state').textContent = `Cannot use ${file.name}: ${/** @type {Error} */ (error).message}`
    }
  }

  /** @param {boolean} isFree */
  #free(isFree) {
    this.scene.camera.isFree = isFree
    byId('free').setAttribute('aria-pressed', String(isFree))
    this.scene.redraw()
  }

  t = 0

  /** @param {number} t */
  draw(t) {
    this.t = t
    this.plan.draw(t)
    this.scene.draw(t)
    if (this.isSolid)
      this.scene.canvas.setAttribute(
        'aria-label',
        this.plan.canvas.getAttribute('aria-label') ?? ''
      )
  }

  /** Handle newly received data of the run. */
  grown() {
    this.plan.grown()
    this.scene.grown()
    this.#offerHeights()
  }

  /** @param {number} agent -1: none */
  select(agent) {
    this.plan.select(agent)
    this.scene.select(agent)
  }

  /** @param {number} t */
  legend(t) {
    return this.plan.legend(t)
  }
}
