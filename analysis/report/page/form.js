/** Form for the JSON schema of an answer: one field per property. */

import { el } from 'report/elements.js'

/**
 * @typedef {object} Schema
 * @property {string} [type] @property {string} [description] @property {(string | number)[]} [enum]
 * @property {Schema[]} [anyOf] @property {Record<string, Schema>} [properties] @property {Schema} [items]
 * @property {number} [minimum] @property {number} [maximum] @property {number} [minItems]
 */
/** A field and its value. @typedef {{node: HTMLElement, value: () => unknown}} Field */

/** Number of rows in a field for long text. */
const ROWS = 2

/** Create the field for a schema. @param {Schema} schema @param {string} name @returns {Field} */
export function field(schema, name) {
  if (schema.anyOf) return oneOf(schema.anyOf, name)
  if (schema.enum) return choice(schema.enum, name)
  if (schema.type === 'object') return group(schema)
  if (schema.type === 'array') return list(schema, name)
  if (schema.type === 'boolean') {
    const box = el('input', { type: 'checkbox', 'aria-label': name })
    return { node: box, value: () => box.checked }
  }
  if (schema.type === 'integer' || schema.type === 'number') return number(schema, name)
  const text = el('textarea', { rows: ROWS, 'aria-label': name })
  return { node: text, value: () => text.value.trim() }
}

/** @param {Schema} schema @param {string} name @returns {Field} */
function number({ minimum, maximum, type }, name) {
  const step = type === 'integer' ? 1 : 'any'
  const given = { type: 'number', 'aria-label': name, step, min: minimum ?? '', max: maximum ?? '' }
  const input = el('input', given)
  return { node: input, value: () => (input.value === '' ? null : Number(input.value)) }
}

/**
 * Create a list of choices.
 * @param {(string | number)[]} values @param {string} name @returns {Field}
 */
function choice(values, name) {
  const options = values.map((one, at) => el('option', { value: at }, String(one)))
  const select = el('select', { 'aria-label': name }, ...options)
  return { node: select, value: () => values[Number(select.value)] }
}

/** Write the name of a property as a title. @param {string} name */
const inWords = (name) => name[0].toUpperCase() + name.slice(1).replaceAll('_', ' ')

/**
 * Create a field for each property, except for properties with only one possible value.
 * @param {Schema} schema @returns {Field}
 */
function group({ properties = {} }) {
  const parts = Object.entries(properties).map(([name, schema]) => {
    if (schema.enum?.length === 1) return { name, value: () => schema.enum?.[0] }
    const inner = field(schema, name)
    const hint = schema.description ? el('small', {}, schema.description) : null
    return {
      name,
      value: inner.value,
      node: el('label', {}, el('b', {}, inWords(name)), hint, inner.node)
    }
  })
  const node = el('div.group', {}, ...parts.map((part) => part.node ?? null))
  return { node, value: () => Object.fromEntries(parts.map((part) => [part.name, part.value()])) }
}

/**
 * Create a field for a value of one of several kinds; empty text becomes null if that is allowed.
 * @param {Schema[]} kinds @param {string} name @returns {Field}
 */
function oneOf(kinds, name) {
  const others = kinds.filter((one) => one.type !== 'null')
  const isOptional = others.length < kinds.length
  if (others.length === 1 && ['string', 'integer', 'number'].includes(others[0].type ?? '')) {
    if (!others[0].enum) {
      const inner = field(others[0], name)
      return { node: inner.node, value: () => (inner.value() === '' ? null : inner.value()) }
    }
  }
  const titles = [...(isOptional ? ['(none)'] : []), ...others.map(titleOf)]
  const fields = [...(isOptional ? [null] : []), ...others.map((one) => field(one, name))]
  const options = titles.map((title, at) => el('option', { value: at }, title))
  const select = el('select', { 'aria-label': name }, ...options)
  const inner = el('div', {})
  const show = () => {
    const chosen = fields[Number(select.value)]
    inner.replaceChildren(...(chosen ? [chosen.node] : []))
  }
  select.addEventListener('change', show)
  show()
  const value = () => fields[Number(select.value)]?.value() ?? null
  return { node: el('div', {}, select, inner), value }
}

/**
 * Return the title for a kind of value: its verb, if it has one.
 * @param {Schema} schema @param {number} at
 */
function titleOf(schema, at) {
  const verbs = Object.values(schema.properties ?? {}).filter((one) => one.enum?.length === 1)
  return String(verbs[0]?.enum?.[0] ?? schema.description ?? `${at + 1}`)
}

/**
 * Create a list of fields of one kind, with the minimum number of fields at first.
 * @param {Schema} schema @param {string} name @returns {Field}
 */
function list({ items = {}, minItems = 0 }, name) {
  /** @type {Field[]} */ let fields = []
  const rows = el('div', {})
  const add = () => {
    const one = field(items, `${name} ${fields.length + 1}`)
    const row = el('div.row', {}, one.node)
    const drop = () => {
      fields = fields.filter((other) => other !== one)
      row.remove()
    }
    row.append(el('button', { type: 'button', onclick: drop }, 'remove'))
    fields.push(one)
    rows.append(row)
  }
  for (let n = 0; n < minItems; n++) add()
  const more = el('button', { type: 'button', onclick: add }, 'add one')
  return { node: el('div', {}, rows, more), value: () => fields.map((one) => one.value()) }
}
