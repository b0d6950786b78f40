/** A run's result as tables. */

import { el, show, table } from 'report/elements.js'

/** Names of fields that do not explain themselves. */
const NAMES = /** @type {Record<string, string>} */ ({
  agents_kinds: 'minds of agents',
  runs: 'episodes',
  welfare_optimum: 'highest possible welfare',
  mean: 'means',
  sd: 'standard deviations',
  ci95: '95 % interval',
  gini: 'Gini',
  sound: 'kept up with the game'
})
/** Maximum number of entries shown from a list. */
const LONGEST_LIST = 30
/** Minimum number of equal rows that are merged into one. */
const MANY = 6

/**
 * Show a result object as tables: values by agent, then everything else.
 * @param {any} result @returns {Node[]}
 */
export function resultTables(result) {
  const parts = []
  const plain = Object.entries(result).filter(
    ([, value]) => value === null || typeof value !== 'object'
  )
  parts.push(
    table(
      ['', ''],
      plain.map(([name, value]) => [words(name), show(value)])
    )
  )
  for (const [name, value] of Object.entries(result)) {
    if (value && typeof value === 'object') parts.push(section(words(name), value))
  }
  return parts
}

/** @param {string} title @param {any} value @returns {Node} */
function section(title, value) {
  const entries = Object.entries(value)
  const isTable =
    entries.length > 0 &&
    entries.every(([, row]) => row && typeof row === 'object' && !Array.isArray(row))
  if (!isTable) return el('section', {}, el('h2', {}, title), plainOf(value))
  const isSimple = entries.every(([, row]) =>
    Object.values(row).every((cell) => cell === null || typeof cell !== 'object')
  )
  if (!isSimple)
    return el(
      'section',
      {},
      el('h2', {}, title),
      ...entries.map(([name, row]) =>
        section(isNaN(+name) ? words(name) : `${title.replace(/s$/, '')} ${+name + 1}`, row)
      )
    )
  const columns = [...new Set(entries.flatMap(([, row]) => Object.keys(row)))]
  const rows = entries.map(([name, row]) => [name, ...columns.map((column) => cell(row[column]))])
  return el('section', {}, el('h2', {}, title), table(['name', ...columns.map(words)], rows))
}

/** @param {any} value @returns {Node} */
function plainOf(value) {
  const entries = Object.entries(value)
  const plain = entries.filter(
    ([, part]) => part === null || typeof part !== 'object' || Array.isArray(part)
  )
  const nested = entries.filter((entry) => !plain.includes(entry))
  if (Array.isArray(value) && value.length > LONGEST_LIST) {
    const left = `and ${value.length - LONGEST_LIST} more`
    return el('div', {}, plainOf(value.slice(0, LONGEST_LIST)), el('p.none', {}, left))
  }
  if (Array.isArray(value)) return el('p', {}, value.map((part) => String(show(part))).join(', '))
  const rows = together(
    plain.map(([name, part]) => [
      words(name),
      Array.isArray(part) ? part.map(show).join('; ') : cell(part)
    ])
  )
  return el(
    'div',
    {},
    rows.length ? table(['', ''], rows) : null,
    ...nested.map(([name, part]) => section(words(name), part))
  )
}

/**
 * Merge many equal rows into one.
 * @param {(string | number)[][]} rows @returns {(string | number)[][]}
 */
function together(rows) {
  const isSame = rows.length >= MANY && rows.every(([, value]) => value === rows[0][1])
  return isSame ? [[`all ${rows.length}`, rows[0][1]]] : rows
}

/** @param {any} value */
const cell = (value) => (typeof value === 'number' ? Number(show(value)) : String(show(value)))

/** @param {string} name */
const words = (name) => NAMES[name] ?? name.replaceAll('_', ' ')
