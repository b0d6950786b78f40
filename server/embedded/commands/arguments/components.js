/** JSON texts in commands; their selectors and scores are resolved when the text is read. */
import { componentOf, listed, nameOfEntity } from '../../minecraft/texts.js'
import { CommandError } from '../replies.js'
import { holderOf } from './selectors.js'
import { compactSnbt } from '../../minecraft/snbt.js'
import { readPath, readTarget } from './targets.js'

/** @import { Component, Tag } from '../../types/index.d.ts' */
/** @import { Reader } from './reader.js' */

const KINDS = ['block', 'entity', 'storage']

/** Read the rest of a command as a JSON text. @param {Reader} args @returns {Component} */
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
    nbt,
    ...others
  } = /** @type {Record<string, any>} */ (value)
  const isKnown = ['text', 'translate', 'keybind'].some((key) => key in others)
  const isData = !isKnown && typeof nbt === 'string' && KINDS.some((kind) => kind in others)
  if (!isKnown && !selector && !score && !isData)
    throw args.error('argument.component.invalid', JSON.stringify(value))
  const all = (/** @type {unknown[]} */ parts) => parts.map((part) => resolved(args, part))
  const { block, entity, storage, interpret, separator, ...rest } = others
  const told = isData ? dataOf(args, nbt, { block, entity, storage }) : []
  const between = separator === undefined ? { text: ', ' } : resolved(args, separator)
  return {
    ...rest,
    ...(isData ? { text: '', extra: joined(args, told, Boolean(interpret), between) } : {}),
    ...(selector === undefined ? {} : listed(args.select(String(selector)).map(nameOfEntity))),
    ...(score === undefined ? {} : { text: scoreOf(args, score) }),
    ...(Array.isArray(values) ? { with: all(values) } : {}),
    ...(Array.isArray(extra) && extra.length ? { extra: all(extra) } : {})
  }
}

/**
 * Return the block, entity or storage data that a text shows; missing data is empty.
 * @param {Reader} args @param {string} text a path @param {Record<string, unknown>} from
 * @returns {Tag[]}
 */
function dataOf(args, text, from) {
  const [kind, name] = Object.entries(from).find(([, value]) => value !== undefined) ?? []
  const path = readPath(args.over(text))
  const words = kind === 'entity' ? args.select(String(name)).map(holderOf) : [String(name)]
  return words.flatMap((word) => {
    try {
      return path.get(readTarget(args.over(`${kind} ${word}`)).read())
    } catch (error) {
      if (error instanceof CommandError) return []
      throw error
    }
  })
}

/**
 * @param {Reader} args @param {Tag[]} tags
 * @param {boolean} isRead true to parse texts as components @param {Component} between
 * @returns {Component[]}
 */
function joined(args, tags, isRead, between) {
  const parts = tags.map(({ type, value }) => {
    if (type !== 'string') return { text: compactSnbt({ type, value }) }
    return isRead ? resolved(args, componentOf(String(value))) : { text: String(value) }
  })
  return parts.flatMap((part, at) => (at ? [between, part] : [part]))
}

/** @param {Reader} args @param {{name?: unknown, objective?: unknown}} score */
function scoreOf({ serv, source }, { name, objective }) {
  const holder = name === '*' && source.entity?.type === 'player' ? source.entity.username : name
  return String(serv.objectives.get(String(objective))?.scores.get(String(holder)) ?? '')
}
