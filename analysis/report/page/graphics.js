/** Draws meshes with WebGL 2, without libraries. */

import { CORNER_BYTES } from 'report/meshing.js'

const CORNER = `#version 300 es
in vec3 place;
in vec4 shade;
uniform mat4 view;
out vec4 colour;
out highp vec3 at;
void main() {
  gl_Position = view * vec4(place, 1.0);
  colour = shade;
  at = place + 0.01;
}`
/**
 * Fragment shader. The brightness of blocks varies slightly by position, so that single blocks are
 * visible.
 */
const POINT = `#version 300 es
precision highp float;
in vec4 colour;
in highp vec3 at;
uniform float grain;
out vec4 shown;
void main() {
  vec3 block = fract(floor(at) * vec3(0.3183, 0.2711, 0.4387));
  float chance = fract(dot(block, vec3(7.31, 13.7, 9.17)) * (block.x + block.z + 1.7));
  shown = vec4(colour.rgb * (1.0 + grain * (chance - 0.5)), colour.a);
}`
/** Range of the variation in brightness. */
const GRAIN = 0.1
/** Opacity of occluded objects. */
const HIDDEN = 0.45

/** @typedef {{buffer: WebGLBuffer, array: WebGLVertexArrayObject, counts: number[]}} Stored a mesh, and the number of quads per side */
/** @typedef {(side: number) => boolean} Faces whether a side is visible */

/** A canvas' graphics. */
export class Graphics {
  /** Number of quads that the shared index buffer covers. */
  #numbered = 0

  /** @param {HTMLCanvasElement} canvas @throws {Error} if the browser lacks WebGL 2 */
  constructor(canvas) {
    const gl = canvas.getContext('webgl2', { alpha: false, antialias: false })
    if (!gl) throw new Error('this browser lacks WebGL 2')
    this.gl = gl
    const program = gl.createProgram()
    for (const [kind, text] of /** @type {[number, string][]} */ ([
      [gl.VERTEX_SHADER, CORNER],
      [gl.FRAGMENT_SHADER, POINT]
    ])) {
      const shader = /** @type {WebGLShader} */ (gl.createShader(kind))
      gl.shaderSource(shader, text)
      gl.compileShader(shader)
      gl.attachShader(program, shader)
    }
    gl.bindAttribLocation(program, 0, 'place')
    gl.bindAttribLocation(program, 1, 'shade')
    gl.linkProgram(program)
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
      throw new Error(gl.getProgramInfoLog(program) ?? 'WebGL initialisation failed')
    gl.useProgram(program)
    this.view = gl.getUniformLocation(program, 'view')
    this.grain = gl.getUniformLocation(program, 'grain')
    this.corners = gl.createBuffer()
    gl.enable(gl.DEPTH_TEST)
    gl.enable(gl.CULL_FACE)
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA)
  }

  /**
   * Upload a mesh; return null if it is empty.
   * @param {import('./meshing.js').Mesh} mesh @param {boolean} [isBrief] drawn only once
   * @returns {Stored | null}
   */
  store(mesh, isBrief = false) {
    const { gl } = this
    const { counts, data } = mesh
    if (!data.length) return null
    const stored = { buffer: gl.createBuffer(), array: gl.createVertexArray(), counts }
    this.#number(counts.reduce((sum, count) => sum + count, 0))
    gl.bindVertexArray(stored.array)
    gl.bindBuffer(gl.ARRAY_BUFFER, stored.buffer)
    gl.bufferData(gl.ARRAY_BUFFER, data, isBrief ? gl.STREAM_DRAW : gl.STATIC_DRAW)
    gl.enableVertexAttribArray(0)
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, CORNER_BYTES, 0)
    gl.enableVertexAttribArray(1)
    gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, CORNER_BYTES, 12)
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.corners)
    gl.bindVertexArray(null)
    return stored
  }

  /** @param {Stored | null} stored */
  forget(stored) {
    if (!stored) return
    this.gl.deleteVertexArray(stored.array)
    this.gl.deleteBuffer(stored.buffer)
  }

  /**
   * Extend the index buffer to this many quads, with two triangles per quad.
   * @param {number} quads
   */
  #number(quads) {
    if (quads <= this.#numbered) return
    this.#numbered = Math.max(quads, 2 * this.#numbered, 4096)
    const numbers = new Uint32Array(this.#numbered * 6)
    for (let k = 0; k < this.#numbered; k++)
      numbers.set(
        [0, 1, 2, 0, 2, 3].map((corner) => 4 * k + corner),
        6 * k
      )
    const { gl } = this
    gl.bindVertexArray(null)
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.corners)
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, numbers, gl.STATIC_DRAW)
  }

  /** Start a frame. @param {Float32Array} view @param {[number, number, number]} sky */
  begin(view, sky) {
    const { gl } = this
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight)
    const [r, g, b] = sky.map((part) => part / 255)
    gl.clearColor(r, g, b, 1)
    gl.disable(gl.BLEND)
    gl.depthMask(true)
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT)
    gl.uniformMatrix4fv(this.view, false, view)
    this.setGrain(true)
  }

  /** Set whether the following meshes consist of blocks. @param {boolean} isOfBlocks */
  setGrain(isOfBlocks) {
    this.gl.uniform1f(this.grain, isOfBlocks ? GRAIN : 0)
  }

  /** Draw occluded parts faintly. @param {Stored | null} stored */
  drawHidden(stored) {
    const { gl } = this
    gl.enable(gl.BLEND)
    gl.blendFunc(gl.CONSTANT_ALPHA, gl.ONE_MINUS_CONSTANT_ALPHA)
    gl.blendColor(0, 0, 0, HIDDEN)
    gl.depthMask(false)
    gl.depthFunc(gl.GREATER)
    this.draw(stored)
    gl.depthFunc(gl.LESS)
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA)
  }

  /** Draw the following meshes transparently. */
  seeThrough() {
    this.gl.enable(this.gl.BLEND)
    this.gl.depthMask(false)
  }

  /** @param {Stored | null} stored @param {Faces} [faces] default: all sides */
  draw(stored, faces = () => true) {
    if (!stored) return
    const { gl } = this
    gl.bindVertexArray(stored.array)
    let [from, to] = [0, 0]
    stored.counts.forEach((count, side) => {
      if (!faces(side)) {
        this.#quads(from, to)
        from = to + count
      }
      to += count
    })
    this.#quads(from, to)
    gl.bindVertexArray(null)
  }

  /** @param {number} from @param {number} to */
  #quads(from, to) {
    const { gl } = this
    if (to > from) gl.drawElements(gl.TRIANGLES, 6 * (to - from), gl.UNSIGNED_INT, 24 * from)
  }
}
