import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Mailboxes } from '../mailboxes.js'

/** @param {...string} bots */
function boxes(...bots) {
  /** @type {[string, {from: string, name: string, wait: number}][]} */
  const delivered = []
  const mailboxes = new Mailboxes({
    deliver: (bot, signal) => delivered.push([bot, signal]),
    record: () => {}
  })
  for (const bot of bots) mailboxes.open(bot)
  return { mailboxes, delivered }
}

test('a signal that comes before the wait is kept', () => {
  const { mailboxes, delivered } = boxes('a', 'b')
  mailboxes.send('a', 'b', 'go')
  assert.deepEqual(delivered, [])
  mailboxes.wait('b', 7, null, 'go')
  assert.deepEqual(delivered, [['b', { from: 'a', name: 'go', wait: 7 }]])
})

test('a signal wakes its addressee only, and one wait only', () => {
  const { mailboxes, delivered } = boxes('a', 'b', 'c')
  for (const bot of ['b', 'c']) mailboxes.wait(bot, 1, null, 'go')
  mailboxes.wait('b', 2, null, 'go')
  mailboxes.send('a', 'b', 'go')
  assert.deepEqual(delivered, [['b', { from: 'a', name: 'go', wait: 1 }]])
})

test('a wait for one sender leaves the signals of others alone', () => {
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

test('without an addressee everyone else is signalled', () => {
  const { mailboxes, delivered } = boxes('a', 'b', 'c')
  for (const bot of ['a', 'b', 'c']) mailboxes.wait(bot, 1, null, 'go')
  mailboxes.send('a', null, 'go')
  assert.deepEqual(
    delivered.map(([bot]) => bot),
    ['b', 'c']
  )
})

test('signals to nobody are refused, and a cleared box is empty', () => {
  const { mailboxes, delivered } = boxes('a', 'b')
  assert.throws(() => mailboxes.send('a', 'nobody', 'go'), /no agent named nobody/)
  mailboxes.send('a', 'b', 'go')
  mailboxes.clear()
  mailboxes.wait('b', 1, null, 'go')
  assert.deepEqual(delivered, [])
})
