/**
 * Signals between agents: addressed to one agent and kept until it waits for them.
 *
 * A signal that is sent before anyone waits is not lost, one that is waited for wakes only its
 * addressee, and each wakes one wait. `to: null` addresses every other agent. `from: null` in a
 * wait takes a signal from anyone.
 */

/**
 * @typedef {object} Signal
 * @property {string} from
 * @property {string} name
 */

const MAX_NAME = 64
/** Signals of one agent that another keeps; and waits of an agent's, more than programs may have calls. */
const MAX_KEPT = 1000
const MAX_WAITS = 1000

export class Mailboxes {
  /**
   * @param {object} ports
   * @param {(bot: string, signal: Signal & {wait: number}) => void} ports.deliver
   * @param {(bot: string, count: number) => void} ports.mayRecord takes leave of a bot's for so many events, or throws
   * @param {(event: import('./protocol.d.ts').BotEvent) => void} ports.record
   */
  constructor({ deliver, mayRecord, record }) {
    this.deliver = deliver
    this.mayRecord = mayRecord
    this.record = record
    /** @type {Map<string, {kept: Signal[], waits: {wait: number, from: string | null, name: string}[]}>} */
    this.boxes = new Map()
  }

  /** @param {string} bot */
  open(bot) {
    if (!this.boxes.has(bot)) this.boxes.set(bot, { kept: [], waits: [] })
  }

  /** @param {string} bot */
  forget(bot) {
    this.boxes.delete(bot)
  }

  /** Empties all boxes, between two episodes. */
  clear() {
    for (const box of this.boxes.values()) Object.assign(box, { kept: [], waits: [] })
  }

  /**
   * @param {string} from
   * @param {string | null} to
   * @param {string} name
   */
  send(from, to, name) {
    if (to !== null && !this.boxes.has(to)) throw new Error(`there is no agent named ${to}`)
    if (name.length > MAX_NAME)
      throw new Error(`a signal's name has at most ${MAX_NAME} characters`)
    const targets = to === null ? [...this.boxes.keys()].filter((bot) => bot !== from) : [to]
    const full = targets.find((target) => this.keptOf(from, target) >= MAX_KEPT)
    if (full) throw new Error(`${full} has not taken ${MAX_KEPT} of your signals`)
    this.mayRecord(from, targets.length) // what is not recorded is not sent
    for (const target of targets) {
      this.record({ kind: 'signal', time_ms: Date.now(), agent: from, to: target, name })
      this.boxes.get(target)?.kept.push({ from, name })
      this.match(target)
    }
  }

  /** How many signals of one agent another has not taken. @param {string} from @param {string} to */
  keptOf(from, to) {
    return this.boxes.get(to)?.kept.filter((signal) => signal.from === from).length ?? 0
  }

  /**
   * @param {string} bot
   * @param {number} wait the waiter's own number for this wait
   * @param {string | null} from
   * @param {string} name
   */
  wait(bot, wait, from, name) {
    const box = this.boxes.get(bot)
    if (!box || box.waits.length >= MAX_WAITS) return
    box.waits.push({ wait, from, name })
    this.match(bot)
  }

  /** Gives up waiting (the run ended). @param {string} bot */
  cancelWaits(bot) {
    const box = this.boxes.get(bot)
    if (box) box.waits = []
  }

  /** Hands kept signals to waits that want them, oldest first. @param {string} bot */
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
    }
  }
}
