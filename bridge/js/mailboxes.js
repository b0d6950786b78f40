/**
 * Signals between agents: each is addressed to one agent and kept until that agent waits for it.
 *
 * A signal that is sent before its addressee waits is not lost. It wakes only its addressee, and
 * ends only one wait. `to: null` addresses every other agent; a wait with `from: null` accepts any
 * sender.
 *
 * Agents on other hosts have their mailboxes there. Python delivers their signals in order, and the
 * other host reports each signal that an agent has taken, so that the limit on pending signals
 * applies across hosts.
 */

/**
 * @typedef {object} Signal
 * @property {string} from
 * @property {string} name
 */

/** @import { Passing } from './protocol.d.ts' */

const MAX_NAME = 64
/**
 * Maximum number of pending signals per sender and addressee, and of waits per agent (more than a
 * program's limit on calls).
 */
const MAX_KEPT = 1000
const MAX_WAITS = 1000

export class Mailboxes {
  /**
   * @param {object} ports
   * @param {(bot: string, signal: Signal & {wait: number}) => void} ports.deliver
   * @param {(bot: string, count: number) => void} ports.mayRecord reserves quota for this many events of a bot, or throws
   * @param {(event: import('./protocol.d.ts').BotEvent) => void} ports.record
   * @param {(passing: Passing) => void} ports.pass send to another host
   */
  constructor({ deliver, mayRecord, record, pass }) {
    this.deliver = deliver
    this.mayRecord = mayRecord
    this.record = record
    this.pass = pass
    /** @type {Map<string, {kept: Signal[], waits: {wait: number, from: string | null, name: string}[]}>} */
    this.boxes = new Map()
    /**
     * Agents on other hosts, each with its number of pending signals by local sender.
     * @type {Map<string, Map<string, number>>}
     */
    this.elsewhere = new Map()
    /**
     * Number of times that all mailboxes were cleared. Signals from an older epoch are discarded
     * when they arrive.
     */
    this.epoch = 0
  }

  /** @param {string} bot */
  open(bot) {
    this.elsewhere.delete(bot)
    if (!this.boxes.has(bot)) this.boxes.set(bot, { kept: [], waits: [] })
  }

  /** @param {string} bot */
  forget(bot) {
    this.boxes.delete(bot)
    for (const untaken of this.elsewhere.values()) untaken.delete(bot)
  }

  /** Clear all mailboxes between two episodes. @param {number} epoch the new epoch */
  clear(epoch) {
    this.epoch = epoch
    for (const box of this.boxes.values()) Object.assign(box, { kept: [], waits: [] })
    for (const untaken of this.elsewhere.values()) untaken.clear()
  }

  // --- Other hosts -------------------------------------------------------------------------------

  /** Forget the other hosts of an earlier bridge. @param {number} epoch the new epoch */
  begin(epoch) {
    this.elsewhere.clear()
    this.epoch = epoch
  }

  /** @param {{joined: string[], left: string[]}} news agents that have joined or left other hosts */
  neighbours({ joined, left }) {
    for (const bot of left) this.elsewhere.delete(bot)
    for (const bot of joined) {
      if (!this.boxes.has(bot) && !this.elsewhere.has(bot)) this.elsewhere.set(bot, new Map())
    }
  }

  /**
   * Accept a signal from another host.
   * @param {{sender: string, to: string, name: string}} signal
   */
  arrive({ sender, to, name }) {
    const box = this.boxes.get(to)
    if (!box || this.keptOf(sender, to) >= MAX_KEPT) return
    box.kept.push({ from: sender, name })
    this.match(to)
  }

  /**
   * Reduce the number of a local agent's pending signals on another host; a negative count raises
   * it.
   * @param {{sender: string, to: string, count: number}} credit
   */
  credit({ sender, to, count }) {
    const untaken = this.elsewhere.get(to)
    if (untaken) untaken.set(sender, Math.max(0, (untaken.get(sender) ?? 0) - count))
  }

  // --- Sending and waiting -----------------------------------------------------------------------

  /** @param {string} from @param {string | null} to @param {string} name */
  send(from, to, name) {
    if (to !== null && !this.knows(to)) throw new Error(`there is no agent named ${to}`)
    if (name.length > MAX_NAME)
      throw new Error(`a signal's name has at most ${MAX_NAME} characters`)
    const targets =
      to === null
        ? [...this.boxes.keys(), ...this.elsewhere.keys()].filter((bot) => bot !== from)
        : [to]
    const full = targets.find((target) => this.keptOf(from, target) >= MAX_KEPT)
    if (full) throw new Error(`${full} has not taken ${MAX_KEPT} of your signals`)
    this.mayRecord(from, targets.length) // a signal that cannot be recorded is not sent
    for (const target of targets) {
      this.record({ kind: 'signal', time_ms: Date.now(), agent: from, to: target, name })
      const untaken = this.elsewhere.get(target)
      if (untaken) {
        untaken.set(from, (untaken.get(from) ?? 0) + 1)
        this.pass({ kind: 'signal', sender: from, to: target, name, epoch: this.epoch })
        continue
      }
      this.boxes.get(target)?.kept.push({ from, name })
      this.match(target)
    }
  }

  /** @param {string} bot */
  knows(bot) {
    return this.boxes.has(bot) || this.elsewhere.has(bot)
  }

  /**
   * Return the number of pending signals from one agent to another.
   * @param {string} from @param {string} to
   */
  keptOf(from, to) {
    const untaken = this.elsewhere.get(to)
    if (untaken) return untaken.get(from) ?? 0
    return this.boxes.get(to)?.kept.filter((signal) => signal.from === from).length ?? 0
  }

  /**
   * @param {string} bot @param {number} wait number that the waiting agent uses for this wait
   * @param {string | null} from @param {string} name
   */
  wait(bot, wait, from, name) {
    const box = this.boxes.get(bot)
    if (!box || box.waits.length >= MAX_WAITS) return
    box.waits.push({ wait, from, name })
    this.match(bot)
  }

  /** Cancel an agent's waits when its run ends. @param {string} bot */
  cancelWaits(bot) {
    const box = this.boxes.get(bot)
    if (box) box.waits = []
  }

  /** Match pending signals to waits, oldest first. @param {string} bot */
  match(bot) {
    const box = this.boxes.get(bot)
    if (!box) return
    for (const waiting of [...box.waits]) {
      const index = box.kept.findIndex(
        (signal) => signal.name === waiting.name && (!waiting.from || signal.from === waiting.from)
      )
      if (index < 0) continue
      const [signal] = box.kept.splice(index, 1)
      box.waits.splice(box.waits.indexOf(waiting), 1)
      this.deliver(bot, { ...signal, wait: waiting.wait })
      const { from: sender, name } = signal
      if (this.elsewhere.has(sender))
        this.pass({ kind: 'taken', sender, to: bot, name, epoch: this.epoch })
    }
  }
}
