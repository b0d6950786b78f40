/** Texts that commands are given as JSON: their selectors and scores are resolved when they are read. */
import { listed, nameOfEntity } from '../texts.js'

/** @import { Component } from '../types.d.ts' */
/** @import { Reader } from './reader.js' */

/** All that is left of a command, as a text. @param {Reader} args @returns {Component} */
export function readComponent(args) {
  const source = args.rest()
  /** @type {unknown} */
  let value
  try {
    value = JSON.parse(source)
  } catch (error) {
    throw args.error('argument.component.invalid', /** @type {Error} */ (error).message)
  }
  return resolved(args, value)
}

/** @param {Reader} args @param {unknown} value of JSON @returns {Component} */
function resolved(args, value) {
  if (Array.isArray(value) && value.length) {
    const [first, ...rest] = value.map((part) => resolved(args, part))
    return rest.length ? { ...first, extra: [...(first.extra ?? []), ...rest] } : first
  }
  if (typeof value !== 'object' || value === null) {
    if (value === null || Array.isArray(value))
      throw args.error('argument.component.invalid', 'empty')
    return { text: String(value) }
  }
  const {
    extra,
    with: values,
    selector,
    score,
    ...rest
  } = /** @type {Record<string, any>} */ (value)
  const isKnown = ['text', 'translate', 'keybind'].some((key) => key in rest)
  if (!isKnown && !selector && !score)
    throw args.error('argument.component.invalid', JSON.stringify(value))
  const all = (/** @type {unknown[]} */ parts) => parts.map((part) => resolved(args, part))
  return {
    ...rest,
    ...(selector === undefined ? {} : listed(args.select(String(selector)).map(nameOfEntity))),
    ...(score === undefined ? {} : { text: scoreOf(args, score) }),
    ...(Array.isArray(values) ? { with: all(values) } : {}),
    ...(Array.isArray(extra) && extra.length ? { extra: all(extra) } : {})
  }
}

/** @param {Reader} args @param {{name?: unknown, objective?: unknown}} score */
function scoreOf({ serv, source }, { name, objective }) {
  const holder = name === '*' && source.entity?.type === 'player' ? source.entity.username : name
  return String(serv.objectives.get(String(objective))?.scores.get(String(holder)) ?? '')
}
