/** `level.dat`: metadata of a Minecraft world. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { plainOf, partOf } from '../../minecraft/snbt.js'
import { BOUNDS, MINECRAFT_VERSION, nbt } from '../../minecraft/index.js'
import { DATA_VERSION } from './columns.js'
import { nbtBytes, readNbt } from './nbt-bytes.js'
import { LARGEST } from './region.js'

/** @import { Board, Tag } from '../../types/index.d.ts' */

const LEVEL = 'level.dat'
/** The earliest version with the same block names as 1.20.4: 1.20.3. */
const OLDEST = 3698

/** Maximum coordinate of the spawn. */
const EDGE = 29_999_984

/**
 * @typedef {object} Told metadata of a world
 * @property {[number, number, number]} spawn
 * @property {number} time of the day, in ticks since the world began
 * @property {number} difficulty 0 to 3
 * @property {Record<string, boolean | number>} gamerules
 * @property {Board} board scoreboards, teams, bossbars and storage
 */

/** Return true if a folder contains a Minecraft world. @param {string} folder */
export const isAnvil = (folder) =>
  Boolean(statSync(join(folder, LEVEL), { throwIfNoEntry: false })) &&
  Boolean(statSync(join(folder, 'region'), { throwIfNoEntry: false })?.isDirectory())

/**
 * @param {string} folder
 * @returns {Tag} its content @throws {Error} its version is not supported, or it cannot be read
 */
export function readLevel(folder) {
  const data = dataIn(join(folder, LEVEL))
  const version = numberIn(data ?? { type: 'compound', value: {} }, 'DataVersion', [0, 1e6], 0)
  if (!version) throw new Error('its level.dat has no version')
  if (version >= OLDEST && version <= DATA_VERSION) return /** @type {Tag} */ (data)
  const name = plainOf(partOf(data, 'Version'), 'Name') ?? 'an unknown version'
  throw new Error(
    `it is a world of Minecraft ${name}; this server reads those of ${MINECRAFT_VERSION}` +
      (version > DATA_VERSION ? '' : `: open it once with Minecraft ${MINECRAFT_VERSION}`)
  )
}

/** @param {string} path @returns {Tag | undefined} */
function dataIn(path) {
  try {
    // Opening a named pipe would block the process, so that it could not even notice when its owner
    // ends.
    if (!statSync(path).isFile()) throw new Error('it is not a regular file')
    return partOf(readNbt(gunzipSync(readFileSync(path), { maxOutputLength: LARGEST })), 'Data')
  } catch (error) {
    throw new Error(`its level.dat cannot be read: ${/** @type {Error} */ (error).message}`)
  }
}

/** @param {Tag} level @returns {Omit<Told, 'board'>} @throws {Error} a value is invalid */
export function rulesOf(level) {
  const rules = plainOf(level, 'GameRules')
  const texts = rules && typeof rules === 'object' ? Object.entries(rules) : []
  const known = texts.flatMap(([name, text]) => {
    const value = ruleOf(String(text))
    return value === null ? [] : [[name, value]]
  })
  const [x, y, z] = ['SpawnX', 'SpawnY', 'SpawnZ'].map((name, axis) =>
    numberIn(level, name, axis === 1 ? [BOUNDS.lowest, BOUNDS.highest] : [-EDGE, EDGE], 0)
  )
  return {
    spawn: [x, y, z],
    time: numberIn(level, 'DayTime', [0, Number.MAX_SAFE_INTEGER], 0),
    difficulty: numberIn(level, 'Difficulty', [0, 3], 2),
    gamerules: Object.fromEntries(known)
  }
}

/** @param {string} text @returns {boolean | number | null} */
function ruleOf(text) {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?\d{1,9}$/.test(text) ? Number(text) : null
}

/**
 * @param {Tag} level @param {string} name @param {[number, number]} bounds
 * @param {number} usual default value @returns {number}
 */
function numberIn(level, name, [least, most], usual) {
  const tag = partOf(level, name)
  if (!tag) return usual
  const value = tag.type === 'long' ? Number(longOf(tag)) : tag.value
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most)
    return value
  throw new Error(`the ${name} in its level.dat is invalid`)
}

/** @param {Tag | undefined} tag */
function longOf(tag) {
  const [high, low] = /** @type {[number, number]} */ (tag?.value ?? [0, 0])
  return (BigInt(high) << 32n) | BigInt.asUintN(32, BigInt(low))
}

/** @param {number} number @returns {Tag} */
const long = (number) => {
  const big = BigInt(Math.trunc(number))
  return nbt.long([Number(BigInt.asIntN(32, big >> 32n)), Number(BigInt.asIntN(32, big))])
}

/**
 * Write `level.dat`.
 * @param {string} folder @param {object} told
 * @param {Tag | null} told.before original content; null for a new world @param {string} told.name
 * @param {number} told.seed @param {[number, number, number]} told.spawn
 * @param {number} told.time in ticks since the world began @param {number} told.difficulty 0 to 3
 * @param {Record<string, boolean | number>} told.gamerules
 * @param {Record<string, Tag>} told.parts further content
 * @param {string[]} told.layers blocks of newly generated flat land, from the bottom
 */
export function writeLevel(folder, told) {
  const { before, name, seed, spawn, time, difficulty, gamerules, parts, layers } = told
  const [x, y, z] = spawn
  const rules = Object.entries(gamerules).map(([rule, value]) => [rule, nbt.string(String(value))])
  const now = {
    SpawnX: nbt.int(x),
    SpawnY: nbt.int(y),
    SpawnZ: nbt.int(z),
    Time: partOf(before ?? undefined, 'Time') ?? long(time),
    DayTime: long(time),
    Difficulty: nbt.byte(difficulty),
    GameRules: nbt.comp(Object.fromEntries(rules)),
    ...parts
  }
  const data = { ...(before?.value ?? newLevel(name, seed, layers)), ...now }
  const level = nbt.comp({ Data: nbt.comp(data) })
  writeFileSync(join(folder, LEVEL), gzipSync(nbtBytes(level)))
}

/** @param {string} name @param {number} seed @param {string[]} layers */
function newLevel(name, seed, layers) {
  const flat = nbt.comp({
    type: nbt.string('minecraft:flat'),
    settings: nbt.comp({
      biome: nbt.string(layers.length ? 'minecraft:plains' : 'minecraft:the_void'),
      features: nbt.byte(0),
      lakes: nbt.byte(0),
      layers: nbt.list(
        nbt.comp(
          (layers.length ? layers : ['air']).map((block) => ({
            block: nbt.string(`minecraft:${block}`),
            height: nbt.int(1)
          }))
        )
      ),
      structure_overrides: nbt.list(nbt.string([]))
    })
  })
  const dimension = (/** @type {string} */ type) =>
    nbt.comp({ type: nbt.string(`minecraft:${type}`), generator: flat })
  return {
    DataVersion: nbt.int(DATA_VERSION),
    version: nbt.int(19133),
    Version: nbt.comp({
      Id: nbt.int(DATA_VERSION),
      Name: nbt.string(MINECRAFT_VERSION),
      Series: nbt.string('main'),
      Snapshot: nbt.byte(0)
    }),
    LevelName: nbt.string(name),
    GameType: nbt.int(0),
    allowCommands: nbt.byte(1),
    hardcore: nbt.byte(0),
    initialized: nbt.byte(1),
    WorldGenSettings: nbt.comp({
      seed: long(seed),
      generate_features: nbt.byte(0),
      bonus_chest: nbt.byte(0),
      dimensions: nbt.comp({
        'minecraft:overworld': dimension('overworld'),
        'minecraft:the_nether': dimension('the_nether'),
        'minecraft:the_end': dimension('the_end')
      })
    })
  }
}
