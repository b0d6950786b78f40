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

export class Mailboxes {
  /**
   * @param {object} ports
   * @param {(bot: string, signal: Signal & {wait: number}) => void} ports.deliver
   * @param {(event: import('./protocol.d.ts').BotEvent) => void} ports.record
   */
  constructor({ deliver, record }) {
    this.deliver = deliver
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
    const targets = to === null ? [...this.boxes.keys()].filter((bot) => bot !== from) : [to]
    for (const target of targets) {
      this.record({ kind: 'signal', time_ms: Date.now(), agent: from, to: target, name })
      this.boxes.get(target)?.kept.push({ from, name })
      this.match(target)
    }
  }

  /**
   * @param {string} bot
   * @param {number} wait the waiter's own number for this wait
   * @param {string | null} from
   * @param {string} name
   */
  wait(bot, wait, from, name) {
    this.boxes.get(bot)?.waits.push({ wait, from, name })
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
