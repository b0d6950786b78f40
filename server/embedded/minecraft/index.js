/** The supported version of Minecraft, and its data. */
import { createRequire } from 'node:module'

/**
 * @typedef {import('vec3').Vec3} Vec3 @typedef {import('../types/data.d.ts').Item} Item
 * @typedef {import('../types/data.d.ts').Column} Column
 * @typedef {import('../types/data.d.ts').World} World
 */

const require = createRequire(import.meta.url)

export const MINECRAFT_VERSION = '1.20.4'

/** minecraft-data's tables for the version. @type {import('../types/data.d.ts').Registry} */
export const registry = require('prismarine-registry')(MINECRAFT_VERSION)

// The field that says what a client keeps at a respawn is a byte with two flags; minecraft-data
// reads it as a boolean.
const { types } = require('minecraft-data')(MINECRAFT_VERSION).protocol.play.toClient
const kept = types.packet_respawn[1].find((/** @type {{name: string}} */ field) => {
  return field.name === 'copyMetadata'
})
kept.type = 'u8'

/** prismarine-item's class. @type {import('../types/data.d.ts').ItemClass} */
export const Item = require('prismarine-item')(registry)

/** prismarine-block's class. @type {import('../types/data.d.ts').BlockClass} */
export const Block = require('prismarine-block')(registry)

/** prismarine-chunk's column class. @type {import('../types/data.d.ts').ColumnClass} */
export const Column = require('prismarine-chunk')(registry)

/** @type {import('../types/data.d.ts').EntityClass} */
export const Entity = require('prismarine-entity')(registry)

/** @type {import('../types/data.d.ts').WorldClass} */
export const World = require('prismarine-world')(registry)

/** @type {typeof import('vec3')} */
export const { Vec3 } = require('vec3')

/** @type {typeof import('prismarine-nbt')} */
export const nbt = require('prismarine-nbt')

/** Range of coordinates for blocks and bodies. */
export const BOUNDS = { edge: 3e7, lowest: -64, highest: 319 }

/** @param {string} name @param {number} [count] @returns {Item} a new item */
export const itemNamed = (name, count = 1) => new Item(registry.itemsByName[name].id, count)
