/** Many explosions at once: the server spreads them over ticks. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Vec3 } from '../../minecraft/index.js'
import { stateAt } from '../../blocks/blocks.js'
import { startManualServer } from '../by-hand.js'

const Y = -60
const PER_TICK = 10

test('at most ten explosions happen per tick, and all of them happen', async () => {
  const { serv, tick, run, close } = await startManualServer()
  try {
    await run('forceload add -80 -80 79 79')
    const places = Array.from({ length: 25 }, (_, k) =>
      new Vec3((k % 5) * 30 - 60, Y, Math.floor(k / 5) * 30 - 60).offset(0.5, 0, 0.5)
    )
    const crystals = places.map((place) => /** @type {any} */ (serv.summon('end_crystal', place)))
    const holes = () =>
      places.filter((place) => !stateAt(serv.overworld, place.offset(0, -1, 0).floored())).length
    for (const crystal of crystals) crystal.hurt(1, 'arrow')
    const counts = [1, 2, 3].map(() => (tick(), holes()))
    assert.deepEqual(counts, [PER_TICK, 2 * PER_TICK, 25])
  } finally {
    await close()
  }
})

test('thousands of crystals in one place explode one after another', async () => {
  const { serv, tick, run, close } = await startManualServer()
  try {
    await run('forceload add -16 -16 15 15')
    const place = new Vec3(0.5, Y, 0.5)
    const crystals = Array.from({ length: 3000 }, () => serv.summon('end_crystal', place))
    const [first] = /** @type {any[]} */ (crystals)
    first.hurt(1, 'arrow')
    tick()
    assert.equal(serv.things.size, 0)
  } finally {
    await close()
  }
})
