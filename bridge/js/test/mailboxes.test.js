import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Mailboxes } from '../mailboxes.js'
import { createRateLimiter } from '../sandbox/rate-limiter.js'

/** @param {...string} bots */
function boxes(...bots) {
  const mayRecord = createRateLimiter({ burst: 5, perSecond: 0, complaint: 'too many events' })
  /** @type {object[]} */
  const recorded = []
  /** @type {[string, {from: string, name: string, wait: number}][]} */
  const delivered = []
  const mailboxes = new Mailboxes({
    deliver: (bot, signal) => delivered.push([bot, signal]),
    mayRecord: (_bot, count) => mayRecord(count),
    record: (event) => recorded.push(event),
    pass: () => assert.fail('there is no other host')
  })
  for (const bot of bots) mailboxes.open(bot)
  return { mailboxes, delivered, recorded }
}

test('a signal that arrives before the wait is kept', () => {
  const { mailboxes, delivered } = boxes('a', 'b')
  mailboxes.send('a', 'b', 'go')
  assert.deepEqual(delivered, [])
  mailboxes.wait('b', 7, null, 'go')
  assert.deepEqual(delivered, [['b', { from: 'a', name: 'go', wait: 7 }]])
})

test('a signal wakes only its addressee and ends only one wait', () => {
  const { mailboxes, delivered } = boxes('a', 'b', 'c')
  for (const bot of ['b', 'c']) mailboxes.wait(bot, 1, null, 'go')
  mailboxes.wait('b', 2, null, 'go')
  mailboxes.send('a', 'b', 'go')
  assert.deepEqual(delivered, [['b', { from: 'a', name: 'go', wait: 1 }]])
})

test('a wait for one sender does not take signals from others', () => {
  const { mailboxes, delivered } = boxes('a', 'b', 'c')
  mailboxes.wait('c', 1, 'b', 'go')
  mailboxes.send('a', 'c', 'go')
  assert.equal(delivered.length, 0)
  mailboxes.send('b', 'c', 'go')
  mailboxes.wait('c', 2, null, 'go')
  assert.deepEqual(
    delivered.map((entry) => entry[1].from),
    ['b', 'a']
  )
})

test('a signal without an addressee goes to all other agents', () => {
  const { mailboxes, delivered } = boxes('a', 'b', 'c')
  for (const bot of ['a', 'b', 'c']) mailboxes.wait(bot, 1, null, 'go')
  mailboxes.send('a', null, 'go')
  assert.deepEqual(
    delivered.map(([bot]) => bot),
    ['b', 'c']
  )
})

test('signals to unknown agents are refused, and a cleared mailbox is empty', () => {
  const { mailboxes, delivered } = boxes('a', 'b')
  assert.throws(() => mailboxes.send('a', 'nobody', 'go'), /no agent named nobody/)
  mailboxes.send('a', 'b', 'go')
  mailboxes.clear(1)
  mailboxes.wait('b', 1, null, 'go')
  assert.deepEqual(delivered, [])
})

test('a signal that cannot be recorded is not sent', () => {
  const { mailboxes, delivered, recorded } = boxes('a', 'b', 'c')
  for (let wait = 0; wait < 3; wait++) {
    for (const bot of ['b', 'c']) mailboxes.wait(bot, wait, null, 'go')
  }
  for (let sent = 0; sent < 2; sent++) mailboxes.send('a', null, 'go')
  assert.throws(() => mailboxes.send('a', null, 'go'), /too many events/)
  assert.equal(delivered.length, 4)
  assert.equal(recorded.length, 4)
  mailboxes.send('a', 'b', 'go')
  assert.equal(recorded.length, 5)
})

test('taking more tokens than the burst requires a full bucket and leaves a debt', () => {
  const take = createRateLimiter({ burst: 5, perSecond: 0, complaint: 'too many' })
  take(50)
  assert.throws(() => take(1), /too many/)
})
