/**
 * Data of blocks, entities and storage that the `data` command and parts of `execute` read and
 * write.
 */
import { shown as shownPlace } from '../../world/dimensions.js'
import { takeTag, tagOfEntity } from '../../entities/entity-data.js'
import { nameOfEntity } from '../../minecraft/texts.js'
import { NbtPath, compound, isSame } from './nbt-path.js'
import { CommandError, said, told } from '../replies.js'
import { SnbtError, snbtOf } from '../../minecraft/snbt.js'

/** @import { Component, Tag } from '../../types/index.d.ts' */
/** @import { Reader } from './reader.js' */

export const TARGETS = /** @type {const} */ (['block', 'entity', 'storage'])
const KEY = 'commands.data'

/**
 * @typedef {object} Target
 * @property {'block' | 'entity' | 'storage'} kind
 * @property {(Component | string | number)[]} title its name in answers
 * @property {() => Tag} look returns the current compound, read-only
 * @property {() => Tag} read returns a copy
 * @property {(tag: Tag) => void} write throws before any change if it cannot be written
 */

/**
 * @param {Reader} args @param {readonly ('block' | 'entity' | 'storage')[]} [kinds]
 * @returns {Target}
 */
export function readTarget(args, kinds = TARGETS) {
  const kind = args.oneOf(kinds)
  if (kind === 'entity') return entityTarget(args)
  return kind === 'block' ? blockTarget(args) : storageTarget(args)
}

/** @param {Reader} args @returns {Target} */
function entityTarget(args) {
  const { serv } = args
  const entity = args.entity()
  const look = () => tagOfEntity(serv, entity)
  const read = () => structuredClone(look())
  return {
    kind: 'entity',
    get title() {
      return [nameOfEntity(entity)] // the entity may have a new name
    },
    look,
    read,
    write: (tag) => {
      if (entity.type === 'player') throw new CommandError(`${KEY}.entity.invalid`)
      const before = read()
      takeTag(serv, entity, before, tag)
      // Boats, frames and similar entities have only part of their data on this server.
      if (serv.entities[entity.id] && isSame(before, read())) throw unchanged()
    }
  }
}

/** @param {Reader} args @returns {Target} */
function blockTarget(args) {
  const { serv } = args
  const position = args.blockPosition()
  serv.loadBox(position, position)
  const find = () => {
    const tag = serv.blockTag(position)
    if (!tag) throw new CommandError(`${KEY}.block.invalid`)
    return tag
  }
  find()
  return {
    kind: 'block',
    title: shownPlace(position).toArray(),
    look: find,
    read: () => structuredClone(find()),
    write: (tag) => serv.writeBlock(position, tag)
  }
}

/** @param {Reader} args @returns {Target} */
function storageTarget(args) {
  const { serv } = args
  const name = args.identifier()
  const look = () => serv.storage.get(name) ?? compound()
  return {
    kind: 'storage',
    title: [name],
    look,
    read: () => structuredClone(look()),
    write: (tag) => void serv.storage.set(name, tag)
  }
}

/** @param {Reader} args @returns {NbtPath} */
export function readPath(args) {
  const word = args.word()
  try {
    return new NbtPath(word)
  } catch (error) {
    if (!(error instanceof SnbtError)) throw error
    throw new CommandError(error.key, ...error.values).within(args.text, args.start + error.at)
  }
}

/** Return the only value at a path. @param {NbtPath} path @param {Tag} tag @returns {Tag} */
export function oneAt(path, tag) {
  const [found, ...more] = path.get(tag)
  if (more.length) throw new CommandError(`${KEY}.get.multiple`)
  return found
}

export const unchanged = () => new CommandError(`${KEY}.merge.failed`)

/** @param {Target} target */
export const modified = ({ kind, title }) => said(`${KEY}.${kind}.modified`, ...title)

/** @param {Target} target @param {Tag} tag */
export const shown = ({ kind, title }, tag) => told(`${KEY}.${kind}.query`, ...title, snbtOf(tag))
