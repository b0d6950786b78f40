/** The body's handle on an engine: started on demand, and ended whatever its code is doing. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { MessageChannel, Worker } from 'node:worker_threads'
import { wall } from '@voxpolis/clock'
import { FLAGS, LIMITS } from './limits.js'

const require = createRequire(import.meta.url)

/** Modules of the guest code, by the names under which they are imported. */
const GUESTS = ['bot', 'data', 'modules', 'room', 'things', 'windows', 'wire']
/** Limits on the thread's own JavaScript; the code inside the engine has separate memory. */
const THREAD = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 2, stackSizeMb: 4 }

/** @param {number} ms of the wall's clock @returns {Promise<void>} */
const pause = (ms) => new Promise((resolve) => wall.setTimeout(resolve, ms))

/** @type {{wasmModule: WebAssembly.Module, sources: Record<string, string>} | null} */
let common = null

/** Load the modules that all engines in this thread share. */
function prepare() {
  const folder = require.resolve('@jitl/quickjs-wasmfile-release-sync')
  const wasm = readFileSync(new URL('emscripten-module.wasm', `file://${folder}`))
  const read = (/** @type {string} */ name) =>
    readFileSync(new URL(`./guest/${name}.js`, import.meta.url), 'utf8')
  const vec3 = readFileSync(require.resolve('vec3'), 'utf8')
  return {
    wasmModule: new WebAssembly.Module(wasm),
    sources: {
      ...Object.fromEntries(GUESTS.map((name) => [`./${name}.js`, read(name)])),
      vec3: `const module = { exports: {} }\n${vec3}\nconst { exports: whole } = module\nconst { Vec3: inner } = whole\nexport { inner as Vec3, whole as v }`
    }
  }
}

export class EngineThread {
  /**
   * @param {object} options @param {import('../body-threads.js').Clock} options.clock
   * @param {(message: any) => void} options.receive
   * @param {(why: string) => void} options.ended called when the thread ended by itself
   */
  constructor({ clock, receive, ended }) {
    common ??= prepare()
    const { port1, port2 } = new MessageChannel()
    const shared = new SharedArrayBuffer(4 * Object.keys(FLAGS).length)
    this.replies = port1
    this.flags = new Int32Array(shared)
    this.isEnded = false
    this.worker = new Worker(new URL('./engine.js', import.meta.url), {
      workerData: { ...common, shared, replies: port2, clock },
      transferList: [port2],
      resourceLimits: THREAD,
      env: {},
      stdout: true,
      stderr: true
    })
    /** @type {PromiseWithResolvers<void>} */
    const { promise, resolve } = Promise.withResolvers()
    /** Resolves once the engine can run programs, or never will. */
    this.ready = promise
    let why = 'its engine ended'
    this.worker.on('message', (message) => {
      if (message.op === 'ready') resolve()
      else if (!this.isEnded) receive(message)
    })
    this.worker.on('error', (error) => (why = `its engine ended: ${error.message}`))
    this.worker.on('exit', () => {
      resolve()
      if (this.isEnded) return
      this.isEnded = true
      ended(why)
    })
    for (const stream of [this.worker.stdout, this.worker.stderr]) stream.resume()
  }

  /** @param {object} message */
  post(message) {
    if (!this.isEnded) this.worker.postMessage(message)
  }

  /** Answer the call that the engine waits for. @param {string} answer */
  reply(answer) {
    this.replies.postMessage(answer)
    Atomics.add(this.flags, FLAGS.REPLIES, 1)
    Atomics.notify(this.flags, FLAGS.REPLIES)
  }

  /** @param {0 | 1 | 2} stage see FLAGS.STOP */
  tell(stage) {
    Atomics.store(this.flags, FLAGS.STOP, stage)
  }

  /** Return the thread's CPU time in ms; a constant if the thread reports none. */
  async workedMs() {
    const asked = this.worker.cpuUsage().catch(() => null)
    const usage = await Promise.race([asked, pause(LIMITS.LAST_MS)])
    return usage ? (usage.user + usage.system) / 1000 : 0
  }

  /**
   * Wait for code to stop after it was told to. The limit applies to its thread's CPU time since
   * then, so code on a busy machine is not ended before it had a chance to stop.
   * @param {() => boolean} isOver @returns {Promise<boolean>} true if it stopped
   */
  async press(isOver) {
    const before = await this.workedMs()
    for (let grace = 0; grace <= LIMITS.MORE_GRACES; grace++) {
      await pause(LIMITS.GRACE_MS)
      if (isOver()) return true
      if ((await this.workedMs()) - before > LIMITS.STOPPING_MS) break
    }
    if (isOver()) return true // the thread's engine may already run another program
    this.tell(2)
    await pause(LIMITS.LAST_MS)
    return isOver()
  }

  /** Send an event, unless too many are pending. @param {object} message */
  offer(message) {
    if (Atomics.load(this.flags, FLAGS.EVENTS) >= LIMITS.EVENTS) return
    Atomics.add(this.flags, FLAGS.EVENTS, 1)
    this.post(message)
  }

  /** End the thread, whatever it is doing. @returns {Promise<unknown>} */
  end() {
    this.isEnded = true
    this.replies.close()
    return this.worker.terminate()
  }
}
