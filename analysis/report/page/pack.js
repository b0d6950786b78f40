/** Textures of blocks from a resource pack of Minecraft: a ZIP archive that stays in the browser. */

import { UNSEEN } from 'report/blocks.js'

/** Pixels along a side of a texture, and textures along a side of the atlas. */
export const [PIXELS, ACROSS] = [16, 64]
const TEXTURE = /^assets\/[^/]+\/textures\/block\/([\w-]+)\.png$/
/** Blocks that are named differently in packs. */
const IN_PACKS = /** @type {Record<string, string>} */ ({
  ...{ water: 'water_still', lava: 'lava_still', land: 'grass_block', wall: 'stone_bricks' },
  ...{ barrier: 'stone_bricks', [UNSEEN]: 'stone' }
})

/**
 * A texture: its number in the atlas, and its mean colour. Grey textures have no colour, because
 * the game tints them (grass, leaves).
 * @typedef {{tile: number, colour: [number, number, number] | null}} Texture
 */

export class Pack {
  /** @param {Map<string, Texture>} textures @param {Uint8Array} pixels of the atlas, as RGBA */
  constructor(textures, pixels) {
    this.textures = textures
    this.pixels = pixels
  }

  /** @type {Map<string, Texture | undefined>} */ #found = new Map()

  /** Return the texture of a side of a block. @param {string} block @param {number} side */
  of(block, side) {
    const key = `${side} ${block}`
    if (!this.#found.has(key)) this.#found.set(key, this.#search(block, side))
    return this.#found.get(key)
  }

  /** @param {string} block @param {number} side */
  #search(block, side) {
    const [, plain, age] = /^(?:minecraft:)?([^[]*)(?:\[age=(\d+)\])?/.exec(block) ?? ['', block]
    const name = Object.hasOwn(IN_PACKS, plain) ? IN_PACKS[plain] : plain
    const ends = side > 1 ? ['_front', '_side'] : side ? ['_bottom', '_top'] : ['_top']
    const names = [...(age ? [`_stage${age}`] : []), ...ends, ''].map((end) => name + end)
    return this.textures.get(names.find((one) => this.textures.has(one)) ?? '')
  }
}

/**
 * Read the textures of a pack.
 * @param {Blob} file @throws {Error} if it is no archive, or has no textures of blocks
 */
export async function readPack(file) {
  const textures = new Map()
  const pixels = new Uint8Array(4 * (PIXELS * ACROSS) ** 2)
  for await (const [path, png] of unzipped(await file.arrayBuffer())) {
    const name = TEXTURE.exec(path)?.[1]
    if (!name || textures.size + 1 >= ACROSS ** 2) continue
    const tile = textures.size + 1
    textures.set(name, { tile, colour: placed(pixels, tile, await decoded(await png())) })
  }
  if (!textures.size) throw new Error('it has no files assets/…/textures/block/….png')
  return new Pack(textures, pixels)
}

/**
 * Yield the path of each file of a ZIP archive, and a function that unpacks the file.
 * @param {ArrayBuffer} archive
 * @returns {Generator<[string, () => Promise<Blob>]>}
 */
function* unzipped(archive) {
  const view = new DataView(archive)
  let end = archive.byteLength - 22
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end--
  if (end < 0) throw new Error('it is no ZIP archive')
  let at = view.getUint32(end + 16, true)
  for (let left = view.getUint16(end + 10, true); left; left--) {
    const [name, extra, comment] = [28, 30, 32].map((k) => view.getUint16(at + k, true))
    const path = new TextDecoder().decode(new Uint8Array(archive, at + 46, name))
    const [method, size] = [view.getUint16(at + 10, true), view.getUint32(at + 20, true)]
    const local = view.getUint32(at + 42, true)
    yield [
      path,
      () => {
        const start =
          local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
        const data = new Blob([archive.slice(start, start + size)])
        if (!method) return Promise.resolve(data)
        return new Response(
          data.stream().pipeThrough(new DecompressionStream('deflate-raw'))
        ).blob()
      }
    ]
    at += 46 + name + extra + comment
  }
}

/** Return the first square of a picture as pixels; animations have several. @param {Blob} png */
async function decoded(png) {
  const picture = await createImageBitmap(png)
  const pen = /** @type {OffscreenCanvasRenderingContext2D} */ (
    new OffscreenCanvas(PIXELS, PIXELS).getContext('2d')
  )
  pen.imageSmoothingEnabled = false
  const side = picture.width
  pen.drawImage(picture, 0, 0, side, side, 0, 0, PIXELS, PIXELS)
  return pen.getImageData(0, 0, PIXELS, PIXELS).data
}

/**
 * Put a texture into the atlas, divided by its mean colour (128 is the mean), and return this
 * colour; null for grey textures.
 * @param {Uint8Array} pixels @param {number} tile @param {Uint8ClampedArray} own
 * @returns {[number, number, number] | null}
 */
function placed(pixels, tile, own) {
  const sum = [0, 0, 0, 1]
  let isGrey = true
  for (let k = 0; k < own.length; k += 4) {
    if (own[k + 3] < 128) continue
    for (let c = 0; c < 3; c++) sum[c] += own[k + c]
    sum[3]++
    isGrey &&= own[k] === own[k + 1] && own[k] === own[k + 2]
  }
  const [r, g, b] = sum.map((part) => Math.max(1, part / sum[3]))
  const corner = PIXELS * (tile % ACROSS) + PIXELS ** 2 * ACROSS * Math.floor(tile / ACROSS)
  for (let k = 0; k < PIXELS ** 2; k++) {
    const to = 4 * (corner + (k % PIXELS) + PIXELS * ACROSS * Math.floor(k / PIXELS))
    const isSolid = own[4 * k + 3] >= 128
    for (const [c, mean] of [r, g, b].entries())
      pixels[to + c] = isSolid ? Math.min(255, (128 * own[4 * k + c]) / mean) : 70
    pixels[to + 3] = 255
  }
  return isGrey ? null : [r, g, b]
}
