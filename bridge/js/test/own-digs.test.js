/** Which bot is recorded as having dug a block, for each order of packets. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import fc from 'fast-check'
import registryOf from 'prismarine-registry'
import { watchDigging } from '../own-digs.js'

const registry = registryOf('1.20.4')
const { dirt, furnace } = registry.blocksByName
const AT = { x: 1, y: 151, z: 2 }
const start = { sends: 0 }
const finish = { sends: 2 }
const resolved = 'resolved'
const air = { state: 0 }
const others = { broken: AT }

/**
 * Return the record after these packets have been received and sent in turn.
 * @param {any[]} steps @param {number} digTime
 */
async function play(steps, digTime = 500, block = furnace) {
  /** @type {PromiseWithResolvers<void>} */
  const { promise, resolve } = Promise.withResolvers()
  const client = Object.assign(new EventEmitter(), { write: () => {} })
  const bot = /** @type {any} */ ({
    _client: client,
    registry,
    dig: () => promise,
    digTime: () => digTime
  })
  /** @type {any[]} */
  const events = []
  watchDigging(
    bot,
    (event) => events.push(event),
    () => false
  )
  const stateId = block.defaultState
  const dug = bot.dig({ name: block.name, type: block.id, stateId, position: AT })
  let own
  for (const step of steps) {
    if (step === resolved) {
      resolve()
      own = await dug
    } else if ('sends' in step) bot._client.write('block_dig', { status: step.sends, location: AT })
    else if ('state' in step) client.emit('block_change', { location: AT, type: step.state })
    else client.emit('world_event', { effectId: 2001, location: step.broken })
  }
  return { own, dug: events.map(({ kind }) => kind) }
}

const same = { state: furnace.defaultState }
const lit = { state: furnace.minStateId }
const ORDERS = [
  ['a dig that the server confirms', [start, finish, resolved, air], true, 1],
  ['one that it confirms at once', [start, finish, air, resolved], true, 1],
  ['a second change', [start, finish, resolved, air, same, air], true, 1],
  ['a change before the dig was finished', [start, air, resolved], false, 0],
  ['a change before it was begun', [air, start, finish, resolved], false, 0],
  ['another player broke it meanwhile', [start, others, air, resolved], false, 0],
  ['another player broke it in the same tick', [start, finish, resolved, others, air], true, 0],
  [
    'a refusal, and then another player breaks it',
    [start, finish, resolved, same, others, air],
    true,
    0
  ],
  ['a refusal, and then the world changes', [start, finish, resolved, same, air], true, 0],
  ['a furnace is lit and then goes', [start, finish, resolved, lit, air], true, 1],
  ['a furnace is lit and the dig is refused', [start, lit, finish, resolved, lit, air], true, 0],
  ['the server reports it at its start', [start, same, finish, resolved, air], true, 1]
]
for (const [name, steps, own, count] of /** @type {[string, any[], boolean, number][]} */ (
  ORDERS
)) {
  test(`${name}: ${count ? '' : 'not '}recorded`, async () => {
    const happened = await play(steps)
    assert.deepEqual(happened, { own, dug: count ? ['block_dug'] : [] })
  })
}

test('a block that breaks instantly counts as dug when digging starts', async () => {
  assert.deepEqual(await play([start, air, finish, resolved], 0), { own: true, dug: ['block_dug'] })
})

test('changes to other blocks do not matter', async () => {
  const elsewhere = { broken: { ...AT, x: 9 } }
  const { dug } = await play([start, elsewhere, finish, resolved, air], 500, dirt)
  assert.deepEqual(dug, ['block_dug'])
})

/**
 * A random sequence of events during a dig: changes of the block's state, and who breaks it. The
 * server's packets are in order; those from index `after` on answer the bot's finish.
 * @typedef {{packets: any[], after: number, isOwn: boolean}} Course
 */

/** @type {fc.Arbitrary<Course>} */
const courses = fc
  .record({
    lights: fc.array(fc.boolean(), { maxLength: 3 }),
    ends: fc.constantFrom('own', 'other first', 'refused', 'refused, then another')
  })
  .map(({ lights, ends }) => {
    const states = lights.map((isLit) => (isLit ? lit : same))
    const now = states.at(-1) ?? same
    const byOther = [others, air]
    const before = ends === 'other first' ? [...states, ...byOther] : states
    const answers = {
      own: [air],
      'other first': [air],
      refused: [now],
      'refused, then another': [now, ...byOther]
    }
    const answer = answers[/** @type {keyof typeof answers} */ (ends)]
    return { packets: [...before, ...answer], after: before.length, isOwn: ends === 'own' }
  })

test('for all orders of packets, only blocks that the bot broke are recorded', async () => {
  await fc.assert(
    fc.asyncProperty(courses, fc.nat(), fc.nat(), fc.nat(), async (course, a, b, c) => {
      const { packets, after, isOwn } = course
      // The bot finishes after the packets it has received, and before the server's answer.
      const finishes = b % (after + 1)
      const starts = a % (finishes + 1)
      const knows = finishes + (c % (packets.length - finishes + 1))
      const isRefusedBefore = packets
        .slice(finishes, after)
        .some(
          (packet, at) =>
            packet.state !== undefined && packet.state === stateAt(packets, finishes + at)
        )
      fc.pre(!isRefusedBefore)
      const steps = packets.flatMap((packet, at) => [
        ...(at === starts ? [start] : []),
        ...(at === finishes ? [finish] : []),
        ...(at === knows ? [resolved] : []),
        packet
      ])
      if (knows === packets.length) steps.push(resolved)
      const { dug } = await play(steps)
      assert.deepEqual(dug, isOwn ? ['block_dug'] : [])
    }),
    { seed: 1, numRuns: 1000 }
  )
})

/** Return the block's state before a packet. @param {any[]} packets @param {number} at */
const stateAt = (packets, at) =>
  packets.slice(0, at).findLast(({ state }) => state !== undefined)?.state ?? same.state

const { oak_log: log, torch } = registry.blocksByName
const AIR = 0

/** A server, a bot like Mineflayer's, and packets on their way; the server counts what was mined. */
class Digging {
  /** @param {any} block that the bot and other players place */
  constructor(block) {
    this.block = block
    this.state = this.seen = block.defaultState
    this.client = Object.assign(new EventEmitter(), {
      write: (/** @type {string} */ _, /** @type {any} */ fields) => this.up.push(fields.status)
    })
    const dig = (/** @type {any} */ block) => this.called(block)
    const digTime = ({ name = 'air' }) => (/air|torch/.test(name) ? 0 : 500)
    this.bot = /** @type {any} */ ({ _client: this.client, registry, dig, digTime })
    /** Number of the bot's placements that the server has not answered. */
    this.placing = 0
    /** @type {(number | 'place')[]} packets to the server */
    this.up = []
    /** @type {any[]} packets to the bot */
    this.down = []
    /** @type {any[]} calls that have not begun */
    this.calls = []
    /** @type {any} the dig that has begun */
    this.current = null
    /** @type {number | null} state of the dig that the server knows */
    this.begun = null
    /** @type {number | null} state of a dig that the server finishes later */
    this.late = null
    /** @type {string[]} */
    this.mined = []
    /** @type {string[]} */
    this.recorded = []
    const emit = (/** @type {any} */ event) => this.recorded.push(event.block)
    watchDigging(this.bot, emit, () => this.placing > 0)
  }

  call() {
    const { name } = registry.blocksByStateId[this.seen]
    this.bot.dig({ name, stateId: this.seen, position: { ...AT } }).catch(() => {})
  }

  /** @param {any} block */
  called(block) {
    return new Promise((resolve, reject) => this.calls.push({ block, resolve, reject }))
  }

  begin(/** @type {number} */ which) {
    const [call] = this.calls.splice(which % (this.calls.length || 1), 1)
    if (!call) return
    this.stop()
    this.write(call, 0)
    this.current = call
  }

  stop() {
    if (!this.current) return
    this.write(this.current, 1)
    this.current.reject(new Error('aborted'))
    this.current = null
  }

  finish() {
    if (!this.current) return
    this.write(this.current, 2)
    this.seen = AIR
    this.current.resolve()
    this.current = null
  }

  /** @param {any} call @param {number} status */
  write = ({ block }, status) =>
    this.bot._client.write('block_dig', { status, location: block.position })

  /** The server handles a packet. */
  handle(/** @type {number} */ isEarly) {
    const status = this.up.shift()
    if (status === undefined) return
    if (status === 'place') return this.answer()
    const { state, begun, late } = this
    this.begun = status === 0 && state !== AIR ? state : null
    if (status === 0 && (state === AIR || /torch/.test(this.nameOf(state)))) this.break(state)
    else if (status === 2 && begun !== state) this.change(state)
    else if (status === 2 && !(isEarly % 2)) this.break(state)
    else if (status === 2 && late !== null) this.change(state)
    else if (status === 2) this.late = state
  }

  place() {
    this.placing += 1
    this.up.push('place')
  }

  /** The server handles a placement: it also reports the block, and counts the use. */
  answer() {
    this.placed()
    this.down.push({ state: this.state }, { isCounted: true })
  }

  /** The server finishes an early dig. */
  end() {
    if (this.late !== null && this.late === this.state) this.break(this.state)
    this.late = null
  }

  nameOf = (/** @type {number} */ state) => registry.blocksByStateId[state].name

  break(/** @type {number} */ state) {
    if (state !== AIR) this.mined.push(this.nameOf(state))
    this.begun = null
    this.change(AIR)
  }

  change(/** @type {number} */ state) {
    this.state = state
    this.down.push({ state })
  }

  taken() {
    if (this.state === AIR) return
    this.down.push({ broken: AT })
    this.change(AIR)
  }

  placed() {
    if (this.state === AIR) this.change(this.block.defaultState)
  }

  changed() {
    if (this.block === furnace && this.state !== AIR)
      this.change(this.state === lit.state ? same.state : lit.state)
  }

  /** The bot hears a packet. */
  async hear() {
    const packet = this.down.shift()
    if (!packet) return
    const { broken, state, isCounted } = packet
    if (isCounted) return void (this.placing -= 1)
    if (broken) return void this.client.emit('world_event', { effectId: 2001, location: broken })
    this.seen = state
    this.client.emit('block_change', { location: AT, type: state })
    if (state === AIR && this.current) {
      this.current.resolve()
      this.current = null
    }
    await null
  }

  async settle() {
    while (this.up.length) this.handle(0)
    this.end()
    while (this.down.length) await this.hear()
  }
}

const STEPS = /** @type {const} */ (['call', 'begin', 'stop', 'finish', 'handle', 'hear', 'end'])
const OTHERS = /** @type {const} */ (['taken', 'placed', 'changed', 'place', 'place'])

for (const block of [log, furnace, torch]) {
  test(`however digs of a ${block.name} interleave, each broken block is recorded once`, async () => {
    const steps = fc.array(fc.tuple(fc.constantFrom(...STEPS, ...STEPS, ...OTHERS), fc.nat(9)), {
      maxLength: 40
    })
    await fc.assert(
      fc.asyncProperty(steps, async (drawn) => {
        const digging = new Digging(block)
        for (const [step, number] of drawn) {
          await digging[step](number)
          await new Promise((resolve) => setImmediate(resolve))
        }
        await digging.settle()
        assert.deepEqual(digging.recorded, digging.mined)
      }),
      { seed: 1, numRuns: 2000 }
    )
  })
}
