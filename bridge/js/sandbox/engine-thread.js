/** An engine as the body sees it: started when it is needed, and ended whatever its code does. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { MessageChannel, Worker } from 'node:worker_threads'
import { wall } from '@voxpolis/clock'
import { FLAGS, LIMITS } from './limits.js'

const require = createRequire(import.meta.url)

/** The rooms' own code, by the names that it imports. */
const GUESTS = ['bot', 'data', 'modules', 'room', 'things', 'windows', 'wire']
/** What the thread's own JavaScript may hold; the code in it has memory of its own. */
const THREAD = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 2, stackSizeMb: 4 }

/** @param {number} ms of the wall's clock @returns {Promise<void>} */
const pause = (ms) => new Promise((resolve) => wall.setTimeout(resolve, ms))

/** @type {{wasmModule: WebAssembly.Module, sources: Record<string, string>} | null} */
let common = null

/** What all engines of this thread are made of. */
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
   * @param {object} options
   * @param {import('../body-threads.js').Clock} options.clock
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
    /** Settles once programs can be run, or never will be. */
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

  /** Answers the call that the engine waits for. @param {string} answer */
  reply(answer) {
    this.replies.postMessage(answer)
    Atomics.add(this.flags, FLAGS.REPLIES, 1)
    Atomics.notify(this.flags, FLAGS.REPLIES)
  }

  /** @param {0 | 1 | 2} stage see FLAGS.STOP */
  tell(stage) {
    Atomics.store(this.flags, FLAGS.STOP, stage)
  }

  /** How long the thread has worked so far, in ms of the processor; the same as never where it does not say. */
  async workedMs() {
    const asked = this.worker.cpuUsage().catch(() => null)
    const usage = await Promise.race([asked, pause(LIMITS.LAST_MS)])
    return usage ? (usage.user + usage.system) / 1000 : 0
  }

  /**
   * Presses code that was told to stop. It is judged by what its thread has worked since: where the
   * machine is too busy to let it stop, that is little.
   * @param {() => boolean} isOver @returns {Promise<boolean>} whether it stopped
   */
  async press(isOver) {
    const before = await this.workedMs()
    for (let grace = 0; grace <= LIMITS.MORE_GRACES; grace++) {
      await pause(LIMITS.GRACE_MS)
      if (isOver()) return true
      if ((await this.workedMs()) - before > LIMITS.STOPPING_MS) break
    }
    if (isOver()) return true // its engine may run another by now
    this.tell(2)
    await pause(LIMITS.LAST_MS)
    return isOver()
  }

  /** Sends an event, unless too many are on their way. @param {object} message */
  offer(message) {
    if (Atomics.load(this.flags, FLAGS.EVENTS) >= LIMITS.EVENTS) return
    Atomics.add(this.flags, FLAGS.EVENTS, 1)
    this.post(message)
  }

  /** Ends the thread, whatever it does. @returns {Promise<unknown>} */
  end() {
    this.isEnded = true
    this.replies.close()
    return this.worker.terminate()
  }
}
