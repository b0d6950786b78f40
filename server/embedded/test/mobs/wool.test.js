/** Colours of wool, and trampled fields, on a test server. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { registry, Vec3 } from '../../minecraft/index.js'
import { restoreState, stateNow } from '../../world/world-state.js'
import { COLOURS } from '../../mobs/wool.js'
import { startManualServer } from '../by-hand.js'

/** @import { Player } from '../../types/index.d.ts' */

const PLACE = new Vec3(8, 100, 8)
const SHEEP = 4000

const { serv, close } = await startManualServer(5)
after(close)

test('sheep spawn in vanilla’s colours, and the world saves their colours', () => {
  /** @type {Record<string, number>} */
  const counts = {}
  for (let index = 0; index < SHEEP; index++) {
    const { colour } = serv.spawnAnimal('sheep', PLACE)
    counts[COLOURS[colour]] = (counts[COLOURS[colour]] ?? 0) + 1
  }
  const shares = {
    white: 0.818,
    black: 0.05,
    gray: 0.05,
    light_gray: 0.05,
    brown: 0.03,
    pink: 0.0016
  }
  for (const [name, share] of Object.entries(shares)) {
    const deviation = Math.sqrt(SHEEP * share * (1 - share))
    const off = Math.abs((counts[name] ?? 0) - SHEEP * share)
    assert.ok(off < 4 * deviation, `${counts[name]} ${name}`)
  }
  const names = Object.keys(shares)
  assert.deepEqual(
    Object.keys(counts).filter((name) => !names.includes(name)),
    []
  )

  const kept = JSON.parse(JSON.stringify(stateNow(serv)))
  for (const animal of [...serv.animals.values()]) serv.removeAnimal(animal)
  restoreState(serv, kept)
  const again = [...serv.animals.values()].filter(({ colour }) => COLOURS[colour] === 'brown')
  assert.equal(again.length, counts.brown)
  for (const animal of [...serv.animals.values()]) serv.removeAnimal(animal)
})

test('a lamb has a mixture of its parents’ colours, or one of the two', () => {
  const lamb = (/** @type {string} */ one, /** @type {string} */ other) => {
    const [young, ...parents] = [0, 1, 2].map(() => serv.spawnAnimal('sheep', PLACE))
    parents.forEach((parent, index) => (parent.colour = COLOURS.indexOf([one, other][index])))
    serv.emit('animalBorn', young, parents[0], parents[1])
    return COLOURS[young.colour]
  }
  assert.equal(lamb('red', 'yellow'), 'orange')
  assert.equal(lamb('white', 'blue'), 'light_blue')
  assert.equal(lamb('green', 'green'), 'green')
  const drawn = Array.from({ length: 60 }, () => lamb('brown', 'cyan'))
  assert.deepEqual([...new Set(drawn)].sort(), ['brown', 'cyan'])
})

test('deeper falls trample more fields, and walking tramples none', () => {
  const { farmland } = registry.blocksByName
  const soil = new Vec3(0, 100, 0)
  serv.loadBox(soil, soil)
  const player = /** @type {Player} */ (
    /** @type {unknown} */ ({ position: soil.offset(0.5, 15 / 16, 0.5) })
  )
  const trodden = (/** @type {number} */ blocks) => {
    let count = 0
    for (let time = 0; time < 400; time++) {
      serv.setBlock(soil, farmland.defaultState)
      serv.emit('playerLanded', player, blocks)
      const state = serv.columnAt(0, 0).getBlockStateId({ x: 0, y: 100, z: 0 })
      count += Number(registry.blocksByStateId[state].name === 'dirt')
    }
    return count
  }
  assert.equal(trodden(0.5), 0)
  const jumped = trodden(1.25)
  assert.ok(jumped > 260 && jumped < 340, `${jumped} of 400`)
  assert.equal(trodden(1.5), 400)
})
