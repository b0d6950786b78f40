/**
 * Texts: components with vanilla's translation keys and arguments, so that programs can recognize a
 * message by its key. The English words come from minecraft-data.
 */
import { nbt, registry } from './index.js'

/** @import { Component, Entity, Player } from '../types/index.d.ts' */

/** @param {Component | string | number} value @returns {Component} */
export const textOf = (value) => (typeof value === 'object' ? value : { text: String(value) })

/**
 * @param {string} key of vanilla's language file @param {...(Component | string | number)} values
 * @returns {Component}
 */
export const translated = (key, ...values) =>
  values.length ? { translate: key, with: values.map(textOf) } : { translate: key }

/** @param {string} text JSON, or a plain word @returns {Component} */
export function componentOf(text) {
  try {
    const parsed = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? parsed : { text: String(parsed) }
  } catch {
    return { text }
  }
}

/** @param {Component} component @returns {string} plain text, as a console shows it */
export function plain({ text, translate, with: values = [], extra = [] }) {
  const own = translate === undefined ? (text ?? '') : filled(translate, values.map(plain))
  return own + extra.map(plain).join('')
}

/** @param {string} key @param {string[]} values */
function filled(key, values) {
  let next = 0
  return (registry.language[key] ?? key).replace(
    /%(?:(\d+)\$)?([sd%])/g,
    (/** @type {string} */ whole, /** @type {string} */ at, /** @type {string} */ kind) => {
      if (kind === '%') return '%'
      return values[at ? Number(at) - 1 : next++] ?? whole
    }
  )
}

/**
 * Return a component as packets contain it. As in vanilla, a text without a style is a string.
 * @param {Component} component @returns {import('prismarine-nbt').NBT}
 */
export const packed = (component) =>
  /** @type {import('prismarine-nbt').NBT} */ (/** @type {unknown} */ (tagOf(component)))

/** @param {unknown} value of JSON @returns {{type: string, value: unknown}} */
function tagOf(value) {
  if (Array.isArray(value)) return listOf(value)
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(
      ([, part]) => part !== undefined && part !== null && !(Array.isArray(part) && !part.length)
    )
    const [first] = entries
    if (entries.length === 1 && first[0] === 'text') return nbt.string(String(first[1]))
    return nbt.comp(Object.fromEntries(entries.map(([key, part]) => [key, tagOf(part)])))
  }
  if (typeof value === 'boolean') return nbt.byte(Number(value))
  if (typeof value !== 'number') return nbt.string(String(value))
  return Number.isInteger(value) ? nbt.int(value) : nbt.double(value)
}

/**
 * Encode a list. All elements of an NBT list must have one type; as in vanilla, elements of mixed
 * types are wrapped in compounds with one nameless member.
 * @param {unknown[]} values
 */
function listOf(values) {
  const parts = values.flat().map(tagOf)
  const [{ type } = { type: 'end' }] = parts
  if (parts.every((part) => part.type === type))
    return nbt.list({ type, value: parts.map((part) => part.value) })
  const wrapped = parts.map((part) => (part.type === 'compound' ? part.value : { '': part }))
  return nbt.list({ type: 'compound', value: wrapped })
}

/** @param {Player} player @returns {Component} its name in vanilla's messages */
export const nameOfPlayer = ({ username, uuid }) => ({
  insertion: username,
  clickEvent: { action: 'suggest_command', value: `/tell ${username} ` },
  hoverEvent: {
    action: 'show_entity',
    contents: { type: 'minecraft:player', id: uuid, name: { text: username } }
  },
  text: username
})

/** @param {string} name of an item @returns {Component} */
export const nameOfItem = (name) =>
  translated(
    `block.minecraft.${name}` in registry.language
      ? `block.minecraft.${name}`
      : `item.minecraft.${name}`
  )

/** @param {Entity} entity @returns {Component} */
export function nameOfEntity(entity) {
  if (entity.type === 'player') return nameOfPlayer(entity)
  if (entity.customName) return entity.customName
  if (entity.type === 'object') return nameOfItem(entity.item.name)
  return translated(`entity.minecraft.${entity.name}`)
}

/** Format several names as vanilla does. @param {Component[]} names @returns {Component} */
export const listed = (names) => ({
  text: '',
  extra: names.flatMap((name, at) => (at ? [{ text: ', ', color: 'gray' }, name] : [name]))
})

/**
 * Return vanilla's message for one or for many targets.
 * @param {string} key @param {Entity[]} targets
 * @param {{before?: (Component | string | number)[], after?: (Component | string | number)[]}} [values]
 */
export function oneOrMany(key, targets, { before = [], after = [] } = {}) {
  return targets.length === 1
    ? translated(`${key}.single`, ...before, nameOfEntity(targets[0]), ...after)
    : translated(`${key}.multiple`, ...before, targets.length, ...after)
}
