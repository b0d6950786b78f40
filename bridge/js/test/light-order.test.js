/** Bots see light at the position for which packets give it. */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import fc from 'fast-check'
import { sharing } from '../kept-land.js'
import { readingLight } from '../light-order.js'

const require = createRequire(import.meta.url)
const registry = require('prismarine-registry')('1.20.4')
const Column = sharing(readingLight(require('prismarine-chunk')(registry)))

const BYTES = 2048
/** Index of the section below y = 0 and of the section above it, and its bit in a mask. */
const SECTION = 5

test('each cell’s light is half a byte, the low half first', () => {
  const cell = fc.integer({ min: 0, max: 4095 })
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, fc.integer({ min: 1, max: 15 }))), (shining) => {
      const levels = new Map(shining)
      const bytes = Buffer.alloc(BYTES)
      for (const [at, level] of levels) bytes[at >> 1] |= level << (4 * (at & 1))
      const column = new Column()
      const mask = [[0, 1 << SECTION]]
      column.loadParsedLight([bytes], [bytes], mask, mask, [], [])
      for (let at = 0; at < 2 * BYTES; at++) {
        const place = { x: at & 15, y: at >> 8, z: (at >> 4) & 15 }
        assert.equal(column.getSkyLight(place), levels.get(at) ?? 0)
        assert.equal(column.getBlockLight(place), levels.get(at) ?? 0)
      }
    }),
    { numRuns: 20 }
  )
})
