/**
 * Tags: vanilla's named sets of blocks, items and entity types, such as `#minecraft:logs`.
 *
 * flying-squid has the tags of Minecraft 1.20.5, with that version's numbers. This file converts
 * the numbers to names, leaves out what 1.20.5 added, and adds the three tags that it removed.
 */
import { createRequire } from 'node:module'
import { registry } from './index.js'

/** @typedef {'block' | 'item' | 'entity_type'} TagKind */
/** @typedef {{tagName: string, entries: number[]}} NumberedTag */
/** @typedef {{tagType: string, tags: NumberedTag[]}} TagGroup of a packet */

const require = createRequire(import.meta.url)
/** @type {{tags: TagGroup[]}} */
const { tags: GROUPS } = require('flying-squid/src/lib/plugins/loginTags.json')
const LISTS = 'minecraft-data/minecraft-data/data/pc/1.20.5'

/** @type {Record<TagKind, {file: string, here: Record<string, {id: number}>}>} */
const KINDS = {
  block: { file: 'blocks', here: registry.blocksByName },
  item: { file: 'items', here: registry.itemsByName },
  entity_type: { file: 'entities', here: registry.entitiesByName }
}
/** Of items. @type {Record<string, RegExp>} */
const EARLIER = {
  'minecraft:axolotl_tempt_items': /^tropical_fish_bucket$/,
  'minecraft:music_discs': /^music_disc_/,
  'minecraft:tools': /_(axe|hoe|pickaxe|shovel|sword)$|^trident$/
}

/** @type {Map<string, Map<string, Set<string>>>} by kind and name */
const known = new Map()

/** @param {TagKind} kind @returns {Map<string, Set<string>>} names by tag */
function tagsOf(kind) {
  const read = known.get(kind)
  if (read) return read
  const { file, here } = KINDS[kind]
  /** @type {{id: number, name: string}[]} */
  const list = require(`${LISTS}/${file}.json`)
  const names = new Map(list.map(({ id, name }) => [id, name]))
  const group = GROUPS.find(({ tagType }) => tagType === `minecraft:${kind}`)
  const found = new Map(
    (group?.tags ?? []).map(({ tagName, entries }) => {
      const members = entries.map((id) => names.get(id) ?? '')
      return [tagName, new Set(members.filter((name) => Object.hasOwn(here, name)))]
    })
  )
  for (const [name, members] of kind === 'item' ? Object.entries(EARLIER) : [])
    found.set(name, new Set(Object.keys(here).filter((item) => members.test(item))))
  known.set(kind, found)
  return found
}

/**
 * @param {TagKind} kind @param {string} name such as minecraft:logs
 * @returns {Set<string> | null} names of its members without `minecraft:`, or null
 */
export const tagged = (kind, name) => tagsOf(kind).get(name) ?? null

/**
 * Return the packet of tags for clients, with the supported version's numbers.
 * @returns {{tags: TagGroup[]}}
 */
export const tagPacket = () => ({
  tags: GROUPS.map((group) => {
    const kind = /** @type {TagKind} */ (group.tagType.replace('minecraft:', ''))
    if (!Object.hasOwn(KINDS, kind)) return group
    const { here } = KINDS[kind]
    const tags = [...tagsOf(kind)].map(([tagName, members]) => ({
      tagName,
      entries: [...members].map((name) => here[name].id)
    }))
    return { ...group, tags }
  })
})
