/** Camera control by mouse, touch and keyboard. */

const ZOOM = 1.2
const TURN = Math.PI / 16
const STEP = 0.08
/** Drag distance in pixels that corresponds to a full turn. */
const TURN_PIXELS = 700
const CLICK_PIXELS = 4
const MOVES = /** @type {Record<string, [number, number]>} */ ({
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP]
})

export class Steering {
  /** Positions of fingers, by pointer. @type {Map<number, [number, number]>} */ #fingers =
    new Map()

  /** @param {import('./scene.js').Scene} scene */
  constructor(scene) {
    this.scene = scene
    const { canvas } = scene
    canvas.addEventListener('wheel', (event) => this.#wheel(event), { passive: false })
    canvas.addEventListener('pointerdown', (event) => this.#press(event))
    canvas.addEventListener('keydown', (event) => this.#key(event))
    canvas.addEventListener('dblclick', () => scene.whole())
    canvas.addEventListener('contextmenu', (event) => event.preventDefault())
  }

  /** Zoom in if the factor is below 1. @param {number} factor */
  zoom(factor) {
    this.scene.camera.zoom(factor)
    this.scene.redraw()
  }

  /**
   * Zoom with Ctrl, or if the picture is focused; otherwise scroll the page.
   * @param {WheelEvent} event
   */
  #wheel(event) {
    if (!event.ctrlKey && document.activeElement !== this.scene.canvas) return
    event.preventDefault()
    this.zoom(Math.exp(event.deltaY / 400))
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { camera } = this.scene
    const move = MOVES[event.key]
    if (event.key === '+' || event.key === '=') camera.zoom(1 / ZOOM)
    else if (event.key === '-') camera.zoom(ZOOM)
    else if (event.key === '0') this.scene.whole()
    else if (move && event.shiftKey)
      camera.turn(Math.sign(move[0]) * TURN, -Math.sign(move[1]) * TURN)
    else if (move) camera.move(...move)
    else return
    this.scene.redraw()
    event.preventDefault()
    event.stopPropagation()
  }

  /**
   * Move by dragging. Turn by dragging with Shift or the other button (in the free view: without
   * them). Zoom and turn with two fingers.
   * @param {PointerEvent} down
   */
  #press(down) {
    const { canvas } = this.scene
    this.#fingers.set(down.pointerId, [down.offsetX, down.offsetY])
    canvas.setPointerCapture(down.pointerId)
    const turns = (down.shiftKey || down.button === 2) !== this.scene.camera.isFree
    let way = 0
    const move = (/** @type {PointerEvent} */ event) => {
      if (event.pointerId !== down.pointerId) return
      const [x, y] = this.#fingers.get(down.pointerId) ?? [0, 0]
      const before = this.#spread()
      this.#fingers.set(down.pointerId, [event.offsetX, event.offsetY])
      const [dx, dy] = [event.offsetX - x, event.offsetY - y]
      way += Math.hypot(dx, dy)
      const now = this.#spread()
      if (before && now) this.scene.camera.zoom(before / now)
      this.#drag(dx, dy, turns || Boolean(before))
    }
    const up = (/** @type {PointerEvent} */ event) => {
      if (event.pointerId !== down.pointerId) return
      this.#fingers.delete(down.pointerId)
      canvas.removeEventListener('pointermove', move)
      for (const end of ['pointerup', 'pointercancel'])
        canvas.removeEventListener(end, /** @type {any} */ (up))
      if (way < CLICK_PIXELS) this.scene.pick(event.offsetX, event.offsetY)
    }
    canvas.addEventListener('pointermove', move)
    for (const end of ['pointerup', 'pointercancel'])
      canvas.addEventListener(end, /** @type {any} */ (up))
  }

  /** @param {number} dx @param {number} dy @param {boolean} turns */
  #drag(dx, dy, turns) {
    const { camera, canvas } = this.scene
    const turn = (2 * Math.PI) / TURN_PIXELS
    if (turns) camera.turn(-dx * turn, dy * turn)
    else camera.move(-dx / canvas.clientHeight, -dy / canvas.clientHeight)
    this.scene.redraw()
  }

  /** Return the distance between two fingers; 0 if there is only one. */
  #spread() {
    const [one, other] = [...this.#fingers.values()]
    return one && other ? Math.hypot(one[0] - other[0], one[1] - other[1]) : 0
  }
}
