/** What commands answer: texts with a result, and refusals. */
import { plain, translated } from '../minecraft/texts.js'

/** @import { Component } from '../types/index.d.ts' */

/** What a command says that was carried out. */
export class Reply {
  /** @param {Component} text @param {{isPrivate?: boolean, result?: number}} [options] */
  constructor(text, { isPrivate = false, result = 1 } = {}) {
    this.text = text
    /** Whether operators do not hear of it. */
    this.isPrivate = isPrivate
    /** What `execute store result` keeps. */
    this.result = result
  }

  /** @param {number} result */
  worth(result) {
    this.result = result
    return this
  }
}

/** What operators hear, too. @param {string} key @param {...(Component | string | number)} values */
export const said = (key, ...values) => new Reply(translated(key, ...values))

/** What only who asked hears. @param {string} key @param {...(Component | string | number)} values */
export const told = (key, ...values) => new Reply(translated(key, ...values), { isPrivate: true })

/** A command that vanilla refuses: it has changed nothing. */
export class CommandError extends Error {
  /** @param {string} key @param {...(Component | string | number)} values */
  constructor(key, ...values) {
    const text = translated(key, ...values)
    super(plain(text))
    /** What the source is told, line by line. @type {Component[]} */
    this.texts = [text]
  }

  /** Shows where in the command it is. @param {string} line @param {number} at */
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
