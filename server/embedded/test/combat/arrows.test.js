/** Arrows: damage and knockback, bouncing, and sticking. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { Vec3 } from '../../minecraft/index.js'
import * as bows from '../../combat/bows.js'

/** @import { Animal, Server, Thing } from '../../types/index.d.ts' */
/** @import { Flight, Wound } from '../../types/additions.d.ts' */

/**
 * Summon an arrow that flies down and hits a pig or the ground.
 * @param {Wound | 'ground'} wound its effect on the pig
 */
function hit(wound) {
  /** @type {string[]} */
  const done = []
  /** @type {(position: Vec3, data: undefined, name: string) => Thing} */
  let summon = () => assert.fail('none can be summoned')
  /** @type {Flight['arrow']} */
  let arrow
  const thing = /** @type {Thing} */ (/** @type {unknown} */ ({ type: 'thing', ageTicks: 7 }))
  const serv = /** @type {Server} */ (
    /** @type {unknown} */ (
      Object.assign(new EventEmitter(), {
        onSummon: (/** @type {string[]} */ _names, /** @type {typeof summon} */ handler) =>
          (summon = handler),
        shoot: (/** @type {Flight} */ flight) => {
          arrow = flight.arrow
          return thing
        },
        removeThing: () => done.push('gone'),
        pushAway: () => done.push('pushed')
      })
    )
  )
  bows.server(serv)
  assert.equal(summon(new Vec3(0, 70, 0), undefined, 'arrow'), thing)
  thing.position = new Vec3(0, 65, 0)
  thing.velocity = new Vec3(0, -2, 0)
  const pig = /** @type {Animal} */ (
    /** @type {unknown} */ ({
      type: 'mob',
      hurt: (/** @type {number} */ damage) => {
        done.push(`hurt ${damage}`)
        return wound
      }
    })
  )
  const entity = wound === 'ground' ? null : pig
  arrow?.hit({ thing, place: thing.position, entity, block: entity ? null : new Vec3(0, 64, 0) })
  return { done, velocity: thing.velocity.toArray().map((at) => at + 0), isStuck: arrow?.isStuck }
}

test('an arrow disappears in a body that it hurts, and bounces off one that it neither hurts nor pushes', () => {
  assert.deepEqual(hit('new').done.toSorted(), ['gone', 'hurt 4', 'pushed'])
  assert.deepEqual(hit('more').done.toSorted(), ['gone', 'hurt 4'])
  const { done, velocity, isStuck } = hit(null)
  assert.deepEqual([done, velocity, isStuck], [['hurt 4'], [0, 0.2, 0], false])
})

test('a summoned arrow sticks in the ground', () => {
  assert.deepEqual(hit('ground'), { done: [], velocity: [0, 0, 0], isStuck: true })
})
