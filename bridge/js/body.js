/**
 * An agent's body: the Mineflayer bot, its observations and events, and the sandbox for its
 * programs.
 */
import { wall } from '@voxpolis/clock'
import { createBot, libraries } from './bot.js'
import { createBlockUseRequests } from './block-use-requests.js'
import { watchReservations } from './block-reservations.js'
import { speedUpSearches } from './block-search.js'
import { observe } from './observe.js'
import { recordEvents, recordOthers } from './event-recorder.js'
import { recordLand } from './land.js'
import { Sandbox } from './sandbox/sandbox.js'
import { standStill, watchWork } from './cleanup.js'

/** @import { RunResult, Spawn } from './protocol.d.ts' */
/** @import { Bot, OwnEvent, Post } from './types.d.ts' */

/** Maximum listeners per event: a program may wait for this many things at a time. */
const MAX_LISTENERS = 250
/** Time limit for a connection to end. */
const LEAVE_MS = 2_000

export class Body {
  /** @param {Spawn} options @param {Post} post to the main thread */
  constructor(options, post) {
    this.options = options
    this.post = post
    this.useRequests = createBlockUseRequests(post, options.refereed)
    /** @type {Bot | null} */
    this.bot = null
    /** @type {Sandbox | null} */
    this.sandbox = null
    /** @type {ReturnType<typeof watchWork> | null} */
    this.work = null
    /** Resolves once a rejoining bot is back. @type {Promise<void>} */
    this.returning = Promise.resolve()
  }

  /** Join the server, for the first time or again. */
  async join() {
    const bot = await createBot({ ...this.options }, (reason) => {
      if (bot === this.bot) this.post({ op: 'lost', reason })
    })
    const emit = (/** @type {OwnEvent} */ event) => this.post({ op: 'event', event })
    for (const one of [bot, bot.world, bot._client]) one.setMaxListeners(MAX_LISTENERS)
    this.bot = bot
    this.work = watchWork(bot)
    speedUpSearches(bot)
    const placements = recordEvents(bot, emit)
    if (this.options.listens) recordOthers(bot, emit)
    watchReservations(bot)
    const { bot: name, movement, primitives } = this.options
    const { speed, anchor_ms: anchorMs, clock_file: file } = this.options
    // in an arena, the layout already describes the land
    if (movement === 'free') recordLand(bot, emit)
    const tables = { mcData: libraries.minecraftData(bot.version), registry: bot.registry }
    this.sandbox = new Sandbox({
      ...{ bot, tables, name, emit, placements, post: this.post, use: this.useRequests.ask },
      digs: movement === 'free',
      primitives,
      clock: { speed, anchorMs, file }
    })
    return this.look()
  }

  /** Return what the bot perceives; if it is rejoining, wait until it has joined. */
  async observe() {
    await this.returning
    return this.look()
  }

  look() {
    if (!this.bot) throw new Error('the bot is not in the world')
    return observe(this.bot)
  }

  /**
   * Start an engine for a program.
   * @param {import('./sandbox/sandbox.js').Program} [program] if missing, an engine for any program
   */
  prepare(program) {
    return this.sandbox?.prepare(program)
  }

  /** @param {import('./sandbox/sandbox.js').Program} program @returns {Promise<RunResult>} */
  async run(program) {
    const { sandbox, bot, work } = this
    if (!sandbox || !bot || !work) throw new Error('the bot is not in the world')
    const result = await sandbox.run(program)
    if (!(await standStill(bot, work))) await (this.returning = this.comeBack())
    return result
  }

  /** Rejoin, because a part of a program may still be running. */
  async comeBack() {
    const { bot, sandbox } = this
    this.bot = null
    await sandbox?.endEngine()
    if (bot) {
      const gone = new Promise((resolve) => bot.once('end', resolve))
      bot.quit()
      await Promise.race([gone, new Promise((resolve) => wall.setTimeout(resolve, LEAVE_MS))])
    }
    try {
      await this.join()
    } catch (error) {
      this.post({ op: 'lost', reason: `could not rejoin after its program: ${error}` })
    }
  }

  /** @param {any} message */
  receive(message) {
    switch (message.op) {
      case 'stop':
        return this.sandbox?.stop(message.reason, message.status)
      case 'used':
        return this.useRequests.arrive(message)
      case 'signal':
        return this.sandbox?.signals.arrive(message.signal)
      case 'sent':
        return this.sandbox?.signals.sent(message)
    }
  }

  async quit() {
    const { bot } = this
    this.bot = null
    bot?.quit()
    await this.sandbox?.quit()
  }
}
