/** Block data: what commands and items say of a block besides its state: its items, text, command. */
import { partOf, plainOf } from '../commands/snbt.js'
import { itemOf } from '../items.js'
import { registry } from '../minecraft.js'
import { blockAt, key } from './blocks.js'

/** @import { Server, Tag, Vec3 } from '../types.d.ts' */

const LINES = 4

/** @param {Server} serv */
export function server(serv) {
  serv.blockData = new Map()

  serv.setBlockData = (position, data) => {
    const { name } = blockAt(serv, position)
    if (/_sign$/.test(name)) writeSign(serv, position, data)
    else if (/command_block$/.test(name)) serv.setCommand(position, commandIn(data))
    else if (!fillContainer(serv, position, data)) serv.blockData.set(key(position), data)
    serv.tellBlockEntity(position)
  }

  serv.on('blockChanged', (position, before, after) => {
    if (!serv.blockData.size) return
    const isSame = registry.blocksByStateId[before] === registry.blocksByStateId[after]
    if (!isSame) serv.blockData.delete(key(position))
  })
}

/** @param {Tag} data */
const commandIn = (data) => ({
  command: String(plainOf(data, 'Command') ?? ''),
  isAlways: Boolean(plainOf(data, 'auto')),
  tracks: Boolean(plainOf(data, 'TrackOutput') ?? 1)
})

/** @param {Server} serv @param {Vec3} position @param {Tag} data */
function writeSign(serv, position, data) {
  const side = (/** @type {string} */ name) => {
    /** @type {string[]} */
    const messages = plainOf(partOf(data, name), 'messages') ?? []
    return Array.from({ length: LINES }, (_, line) => wordsOf(messages[line] ?? ''))
  }
  serv.signs.set(key(position), { front: side('front_text'), back: side('back_text') })
}

/** @param {string} message JSON, or words */
function wordsOf(message) {
  try {
    const value = JSON.parse(message)
    return typeof value === 'object' && value ? String(value.text ?? '') : String(value)
  } catch {
    return message
  }
}

/** @param {Server} serv @param {Vec3} position @param {Tag} data @returns {boolean} whether there is one */
function fillContainer(serv, position, data) {
  const container = serv.containerAt(position)
  const list = /** @type {{value: Record<string, Tag>[]} | undefined} */ (
    partOf(data, 'Items')?.value
  )
  if (!container) return false
  for (const value of list?.value ?? []) {
    const tag = { type: 'compound', value }
    const item = itemOf(tag)
    const slot = plainOf(tag, 'Slot') ?? 0
    if (item && slot in container.store.slots) container.store.set(slot, item)
  }
  return true
}
