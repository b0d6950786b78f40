/** `level.dat`: what a world of Minecraft says of itself. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { plainOf, partOf } from '../commands/snbt.js'
import { MINECRAFT_VERSION, nbt, Vec3 } from '../minecraft.js'
import { DATA_VERSION } from './columns.js'
import { readTag, tagBytes } from './region.js'

/** @import { Tag } from '../types.d.ts' */

const LEVEL = 'level.dat'
/** The earliest version whose worlds have the same names of blocks: 1.20.3. */
const OLDEST = 3698

/** Whether a folder holds a world of Minecraft. @param {string} folder */
export const isAnvil = (folder) =>
  existsSync(join(folder, LEVEL)) && existsSync(join(folder, 'region'))

/**
 * @param {string} folder
 * @returns {Tag} all that it says
 * @throws {Error} it is of another version, or cannot be read
 */
export function readLevel(folder) {
  const data = dataIn(join(folder, LEVEL))
  const version = Number(plainOf(data, 'DataVersion'))
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
    return partOf(readTag(gunzipSync(readFileSync(path))), 'Data')
  } catch (error) {
    throw new Error(`its level.dat cannot be read: ${/** @type {Error} */ (error).message}`)
  }
}

/** @param {Tag} level @returns {Vec3} where players appear */
export function spawnOf(level) {
  const [x, y, z] = ['SpawnX', 'SpawnY', 'SpawnZ'].map((name) => Number(plainOf(level, name) ?? 0))
  return new Vec3(x, y, z)
}

/** @param {Tag} level @returns {{time: number, difficulty: number, gamerules: Record<string, boolean | number>}} in ticks, and 0 to 3 */
export function rulesOf(level) {
  const rules = /** @type {Record<string, string>} */ (plainOf(level, 'GameRules') ?? {})
  const value = (/** @type {string} */ text) =>
    text === 'true' || text === 'false' ? text === 'true' : Number(text)
  return {
    time: Number(longOf(partOf(level, 'DayTime'))),
    difficulty: Number(plainOf(level, 'Difficulty') ?? 2),
    gamerules: Object.fromEntries(Object.entries(rules).map(([name, text]) => [name, value(text)]))
  }
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
 * Writes `level.dat`.
 * @param {string} folder
 * @param {object} told
 * @param {Tag | null} told.before what is told there besides; null for a new world
 * @param {string} told.name
 * @param {number} told.seed
 * @param {[number, number, number]} told.spawn
 * @param {number} told.time in ticks since the world began
 * @param {number} told.difficulty 0 to 3
 * @param {Record<string, boolean | number>} told.gamerules
 * @param {string[]} told.layers of the land that Minecraft makes where there is none yet, from the bottom
 */
export function writeLevel(folder, told) {
  const { before, name, seed, spawn, time, difficulty, gamerules, layers } = told
  const [x, y, z] = spawn
  const rules = Object.entries(gamerules).map(([rule, value]) => [rule, nbt.string(String(value))])
  const now = {
    SpawnX: nbt.int(x),
    SpawnY: nbt.int(y),
    SpawnZ: nbt.int(z),
    Time: partOf(before ?? undefined, 'Time') ?? long(time),
    DayTime: long(time),
    Difficulty: nbt.byte(difficulty),
    GameRules: nbt.comp(Object.fromEntries(rules))
  }
  const data = { ...(before?.value ?? newLevel(name, seed, layers)), ...now }
  const level = nbt.comp({ Data: nbt.comp(data) })
  writeFileSync(join(folder, LEVEL), gzipSync(tagBytes(level)))
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
          /** @type {any} */ (
            (layers.length ? layers : ['air']).map((block) => ({
              block: nbt.string(`minecraft:${block}`),
              height: nbt.int(1)
            }))
          )
        )
      ),
      structure_overrides: nbt.list(nbt.string(/** @type {any} */ ([])))
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
