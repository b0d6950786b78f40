/** The version of Minecraft that is spoken here, and its data. */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

export const MINECRAFT_VERSION = '1.20.4'

/** minecraft-data's tables for the version. @type {any} */
export const registry = require('prismarine-registry')(MINECRAFT_VERSION)

/** @type {any} prismarine-item's class */
export const Item = require('prismarine-item')(registry)

/** @type {any} prismarine-block's class */
export const Block = require('prismarine-block')(registry)

/** @type {any} prismarine-chunk's column class */
export const Column = require('prismarine-chunk')(registry)

/** @type {any} */
export const Entity = require('prismarine-entity')(registry)

/** @type {any} */
export const World = require('prismarine-world')(registry)

export const { Vec3 } = require('vec3')

/** @type {any} prismarine-nbt */
export const nbt = require('prismarine-nbt')

/** @param {string} name @param {number} [count] @returns {any} a new item */
export const itemNamed = (name, count = 1) => new Item(registry.itemsByName[name].id, count)
