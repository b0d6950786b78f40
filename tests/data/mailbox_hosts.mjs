/**
 * Mailboxes of several hosts, for tests/bridge/test_signals.py: a line in, JSON [host, operation,
 * arguments], and a line out, with what that host passed on and delivered, and the error that was
 * thrown.
 */
import { createInterface } from 'node:readline'
import { Mailboxes } from '../../bridge/js/mailboxes.js'

/** @type {{mailboxes: Mailboxes, passed: object[], delivered: object[], recorded: object[]}[]} */
const hosts = []

function open() {
  const host = { passed: [], delivered: [], recorded: [] }
  host.mailboxes = new Mailboxes({
    deliver: (bot, { from, name }) => host.delivered.push([bot, from, name]),
    mayRecord: () => {},
    record: ({ agent, to, name }) => host.recorded.push([agent, to, name]),
    pass: (passing) => host.passed.push(passing)
  })
  return host
}

for await (const line of createInterface({ input: process.stdin })) {
  const [number, operation, args] = JSON.parse(line)
  let error = null
  if (operation === 'new') hosts[number] = open()
  const host = hosts[number]
  try {
    if (operation !== 'new') host.mailboxes[operation](...args)
  } catch (problem) {
    error = problem.message
  }
  const { passed, delivered, recorded } = host
  console.log(JSON.stringify({ passed, delivered, recorded, error }))
  Object.assign(host, { passed: [], delivered: [], recorded: [] })
}
