import { nameOfEntity, oneOrMany } from '../../minecraft/texts.js'
import { CommandError, Reply, told } from '../replies.js'

/** @import { Component, Entity } from '../../types/index.d.ts' */

/** Vanilla's maximum number of tags per entity. */
const MOST_TAGS = 1024

/** @type {import('../index.js').Command} */
export const command = {
  names: ['tag'],
  run: ({ args }) => {
    const entities = args.entities()
    const action = args.oneOf(['add', 'remove', 'list'])
    const tag = action === 'list' ? '' : args.word()
    args.end()
    if (action === 'list') return list(entities)
    const changed = entities.filter((entity) => change(entity, action, tag))
    if (!changed.length) throw new CommandError(`commands.tag.${action}.failed`)
    const text = oneOrMany(`commands.tag.${action}.success`, entities, { before: [tag] })
    return new Reply(text).worth(changed.length)
  }
}

/**
 * @param {Entity} entity @param {'add' | 'remove'} action @param {string} tag
 * @returns {boolean} true if anything changed
 */
function change({ tags }, action, tag) {
  if (action === 'remove') return tags.delete(tag)
  if (tags.has(tag) || tags.size >= MOST_TAGS) return false
  tags.add(tag)
  return true
}

/** @param {Entity[]} entities */
function list(entities) {
  const tags = [...new Set(entities.flatMap((entity) => [...entity.tags]))].sort()
  const [first, ...others] = entities
  const who = others.length ? entities.length : nameOfEntity(first)
  const key = `commands.tag.list.${others.length ? 'multiple' : 'single'}`
  if (!tags.length) return told(`${key}.empty`, who).worth(0)
  return told(`${key}.success`, who, tags.length, inGreen(tags)).worth(tags.length)
}

/** @param {string[]} words @returns {Component} */
const inGreen = (words) => ({
  text: '',
  extra: words.flatMap((text, at) => [
    ...(at ? [{ text: ', ', color: 'gray' }] : []),
    { text, color: 'green' }
  ])
})
