/** Pool of threads for bodies, one per core; threads start when bots join and end when they leave. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

/** @typedef {{speed: number, anchorMs: number, file: string}} Clock */
/**
 * @typedef {object} Tenant a body, as seen by its thread
 * @property {(message: any) => void} receive
 * @property {(why: string) => void} threadEnded
 */

const MEMORY_MB = 4096

/** @type {(text: string) => void} */
let onPrinted = () => {}

/**
 * Set the function that receives everything that threads print.
 * @param {(text: string) => void} listener
 */
export function listenToPrints(listener) {
  onPrinted = listener
}

/** Maximum number of threads; other hosts on this machine have separate threads. */
let most = availableParallelism()

/** @param {number} count */
export function useThreads(count) {
  most = count || availableParallelism()
}

/** @type {Set<BodyThread>} */
const threads = new Set()

/** Return a thread with this clock that has room for one more body. @param {Clock} clock */
export function threadFor(clock) {
  const fitting = [...threads].filter((thread) => thread.fits(clock))
  const [emptiest] = fitting.sort((a, b) => a.tenants.size - b.tenants.size)
  if (emptiest && (emptiest.tenants.size === 0 || fitting.length >= most)) {
    return emptiest
  }
  return new BodyThread(clock)
}

export class BodyThread {
  /** @param {Clock} clock */
  constructor(clock) {
    this.clock = clock
    /** @type {Map<string, Tenant>} */
    this.tenants = new Map()
    this.worker = new Worker(new URL('./worker.js', import.meta.url), {
      workerData: clock,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
      stdout: true,
      stderr: true,
      env: {}
    })
    threads.add(this)
    /** Number of messages from the thread; a thread that sends messages is alive. */
    this.heard = 0
    /** @type {PromiseWithResolvers<void>} */
    const { promise, resolve, reject } = Promise.withResolvers()
    /** Resolves once the thread has loaded its modules, which takes minutes on a busy machine. */
    this.ready = promise
    promise.catch(() => {}) // the thread's tenants are notified separately
    let why = 'its thread ended'
    this.worker.on('message', (message) => {
      this.heard += 1
      if (message.op === 'ready') resolve()
      else this.tenants.get(message.bot)?.receive(message)
    })
    this.worker.on('error', (error) => (why = `its thread failed: ${error.message}`))
    this.worker.on('exit', () => {
      threads.delete(this)
      reject(new Error(why))
      for (const tenant of [...this.tenants.values()]) tenant.threadEnded(why)
    })
    for (const stream of [this.worker.stdout, this.worker.stderr]) {
      stream.setEncoding('utf8')
      // The main thread's stderr carries the protocol, so output of threads becomes events.
      stream.on('data', (text) => onPrinted(String(text).trimEnd()))
    }
  }

  /** @param {Clock} clock */
  fits({ speed, anchorMs, file }) {
    const { clock } = this
    return clock.speed === speed && clock.anchorMs === anchorMs && clock.file === file
  }

  /** @param {string} name @param {Tenant} tenant */
  add(name, tenant) {
    this.tenants.set(name, tenant)
  }

  /**
   * Remove a body; the thread ends when its last body is removed.
   * @param {string} name @param {Tenant} tenant
   */
  async remove(name, tenant) {
    if (this.tenants.get(name) === tenant) this.tenants.delete(name)
    if (this.tenants.size) return
    threads.delete(this)
    await this.worker.terminate()
  }

  /** @param {string} bot @param {object} message */
  post(bot, message) {
    this.worker.postMessage({ ...message, bot })
  }
}
