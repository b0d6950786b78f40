/** A bot leaves the world once, even after several requests to leave. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BotHandle } from '../bot-handle.js'

test('a bot that is lost and told to quit at the same time leaves once, and both callers are answered', async () => {
  const options = /** @type {any} */ ({ bot: 'Ada' })
  const handle = new BotHandle(options, { mailboxes: /** @type {any} */ ({}), record: () => {} })
  /** @type {any[]} */
  const posted = []
  let isHere = true
  handle.thread = /** @type {any} */ ({
    heard: 0,
    post: (/** @type {string} */ _name, /** @type {any} */ message) => {
      posted.push(message.op)
      setImmediate(() => {
        const answer = /** @type {any} */ ({ op: 'answer', ask: message.ask })
        if (isHere) handle.receive(answer)
      })
    },
    remove: async () => {
      isHere = false
    }
  })
  const both = [handle.lost('kicked'), handle.end()]
  assert.deepEqual(posted, ['quit'])
  await Promise.all(both)
})
