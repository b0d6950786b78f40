/** Draws meshes with WebGL 2, without libraries. */

import { KINDS } from 'report/blocks.js'
import { CORNER_BYTES } from 'report/meshing.js'
import { ACROSS, PIXELS } from 'report/pack.js'

const CORNER = `#version 300 es
in vec3 place;
in vec4 shade;
in vec4 look;
uniform mat4 view;
out vec4 colour;
out highp vec3 at;
flat out float kind;
flat out float tile;
out float open;
void main() {
  gl_Position = view * vec4(place, 1.0);
  colour = shade;
  at = place + 0.01;
  kind = look.x;
  open = look.y / 255.0;
  tile = look.z + 256.0 * look.w;
}`
/**
 * Fragment shader: textures of 16 x 16 pixels per block, computed from the position, so that there
 * are no image files, or those of a pack. They fade where their pixels are smaller than the screen's.
 */
const POINT = `#version 300 es
precision highp float;
in vec4 colour;
in highp vec3 at;
flat in float kind;
flat in float tile;
in float open;
uniform sampler2D pack;
out vec4 shown;
float chance(vec3 p) {
  p = fract(p * 0.1031);
  p += dot(p, p.yzx + 33.33);
  return fract((p.x + p.y) * p.z);
}
void main() {
  vec3 normal = abs(normalize(cross(dFdx(at), dFdy(at))));
  bool isTop = normal.y > 0.5;
  vec2 uv = isTop ? at.xz : normal.x > normal.z ? at.zy : at.xy;
  vec3 block = floor(at);
  vec2 pixel = floor(fract(uv) * 16.0);
  float size = 16.0 * max(length(dFdx(uv)), length(dFdy(uv)));
  float detail = clamp(1.8 - 0.3 * size, 0.0, 1.0);
  float own = chance(block);
  float dot1 = chance(vec3(pixel, 3.0) + block * 17.0);
  float dot2 = chance(vec3(floor(pixel / 2.0), 5.0) + block * 13.0);
  vec3 base = colour.rgb;
  float tone = 0.0;
  int k = tile > 0.5 ? ${KINDS.FIGURE} : int(kind + 0.5);
  if (tile > 0.5) {
    int n = int(tile + 0.5);
    ivec2 corner = ${PIXELS} * ivec2(n % ${ACROSS}, n / ${ACROSS});
    ivec2 place = ivec2(pixel.x, isTop ? pixel.y : 15.0 - pixel.y);
    base *= mix(vec3(1.0), texelFetch(pack, corner + place, 0).rgb * (255.0 / 128.0), detail);
  } else if (k == ${KINDS.PLAIN}) tone = 0.1 * (dot1 - 0.5);
  else if (k == ${KINDS.ROUGH}) tone = 0.2 * (dot1 - 0.5) + 0.14 * (dot2 - 0.5);
  else if (k == ${KINDS.GRASS}) {
    tone = 0.26 * (dot1 - 0.5) + 0.12 * (dot2 - 0.5);
    float fringe = 12.0 - floor(3.0 * chance(vec3(pixel.x, block.xz)));
    if (!isTop && pixel.y < fringe) base = mix(base, vec3(0.5, 0.36, 0.25) * 0.85, detail);
  } else if (k == ${KINDS.ORE}) {
    bool isOre = chance(vec3(floor((pixel + 1.0) / 3.0), 7.0) + block * 11.0) > 0.68;
    vec3 rock = vec3(0.55) * max(max(base.r, base.g), base.b) / 0.8;
    base = mix(mix(base, rock, 0.35), isOre ? base : rock, detail);
    tone = 0.2 * (dot1 - 0.5);
  } else if (k == ${KINDS.PLANKS}) {
    float row = floor(pixel.y / 4.0);
    bool isJoint = mod(pixel.y, 4.0) < 1.0 || pixel.x == floor(16.0 * chance(vec3(row, block.xy)));
    tone = isJoint ? -0.22 : 0.14 * (chance(vec3(floor(pixel.x / 4.0), pixel.y, own)) - 0.5);
  } else if (k == ${KINDS.LOG}) {
    float ring = mod(floor(length(pixel - 7.5) / 1.6), 2.0);
    tone = isTop ? 0.16 * (0.5 - ring) : 0.34 * (chance(vec3(pixel.x, floor(pixel.y / 6.0), own)) - 0.5);
  } else if (k == ${KINDS.LEAVES}) tone = 0.7 * (dot1 - 0.6);
  else if (k == ${KINDS.BRICKS}) {
    float row = floor(pixel.y / 4.0);
    bool isJoint = mod(pixel.y, 4.0) < 1.0 || mod(pixel.x + 4.0 * row, 8.0) < 1.0;
    tone = isJoint ? -0.2 : 0.16 * (dot1 - 0.5);
  } else if (k == ${KINDS.WATER}) tone = 0.16 * (chance(vec3(floor(pixel.x / 4.0), pixel.y, own)) - 0.5);
  else if (k == ${KINDS.CROP}) tone = mod(pixel.x + floor(3.0 * own), 4.0) < 2.0 ? -0.2 : 0.12;
  else if (k == ${KINDS.BOX}) {
    bool isEdge = min(pixel.x, pixel.y) < 1.0 || max(pixel.x, pixel.y) > 14.0;
    tone = isEdge ? -0.3 : 0.12 * (chance(vec3(floor(pixel.x / 4.0), pixel.y, own)) - 0.5);
  }
  float block_tone = k == ${KINDS.FIGURE} ? 0.0 : 0.06 * (own - 0.5);
  float light = (0.5 + 0.5 * open) * (1.0 + detail * tone + block_tone);
  shown = vec4(base * light, colour.a);
}`
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
    gl.bindAttribLocation(program, 2, 'look')
    gl.linkProgram(program)
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
      throw new Error(gl.getProgramInfoLog(program) ?? 'WebGL initialisation failed')
    gl.useProgram(program)
    this.view = gl.getUniformLocation(program, 'view')
    this.corners = gl.createBuffer()
    gl.enable(gl.DEPTH_TEST)
    gl.enable(gl.CULL_FACE)
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA)
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture())
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST)
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST)
    this.dress(null)
  }

  /** Use the textures of a pack. @param {import('./pack.js').Pack | null} pack */
  dress(pack) {
    const { gl } = this
    const side = pack ? PIXELS * ACROSS : 1
    const pixels = pack?.pixels ?? new Uint8Array(4)
    const rgba = gl.RGBA
    gl.texImage2D(gl.TEXTURE_2D, 0, rgba, side, side, 0, rgba, gl.UNSIGNED_BYTE, pixels)
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
    gl.enableVertexAttribArray(2)
    gl.vertexAttribPointer(2, 4, gl.UNSIGNED_BYTE, false, CORNER_BYTES, 16)
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
