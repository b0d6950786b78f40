/** Replies of commands: texts with a result, and refusals. */
import { plain, translated } from '../minecraft/texts.js'

/** @import { Component } from '../types/index.d.ts' */

/** Reply of a successful command. */
export class Reply {
  /** @param {Component} text @param {{isPrivate?: boolean, result?: number}} [options] */
  constructor(text, { isPrivate = false, result = 1 } = {}) {
    this.text = text
    /** True if other operators do not see the reply. */
    this.isPrivate = isPrivate
    /** Value for `execute store result`. */
    this.result = result
  }

  /** @param {number} result */
  worth(result) {
    this.result = result
    return this
  }
}

/**
 * Create a reply that operators also see.
 * @param {string} key @param {...(Component | string | number)} values
 */
export const said = (key, ...values) => new Reply(translated(key, ...values))

/**
 * Create a reply that only the source sees.
 * @param {string} key @param {...(Component | string | number)} values
 */
export const told = (key, ...values) => new Reply(translated(key, ...values), { isPrivate: true })

/** Refusal of a command that has changed nothing. */
export class CommandError extends Error {
  /** @param {string} key @param {...(Component | string | number)} values */
  constructor(key, ...values) {
    const text = translated(key, ...values)
    super(plain(text))
    /** Lines for the source. @type {Component[]} */
    this.texts = [text]
  }

  /** Add the error's position in the command. @param {string} line @param {number} at */
  within(line, at) {
    const before = line.slice(Math.max(0, at - 10), at)
    const start = at > 10 ? `...${before}` : before
    const rest = line.slice(at)
    this.texts.push({
      text: '',
      color: 'gray',
      clickEvent: { action: 'suggest_command', value: `/${line}` },
      extra: [
        { text: start },
        ...(rest ? [{ text: rest, color: 'red', underlined: true }] : []),
        { ...translated('command.context.here'), color: 'red', italic: true }
      ]
    })
    return this
  }
}
