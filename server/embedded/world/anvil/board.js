/**
 * Scoreboards, teams, boss bars and storage in a Minecraft world: `data/scoreboard.dat`,
 * `data/command_storage_….dat` and a part of `level.dat`. Source:
 * https://minecraft.wiki/w/Scoreboard#NBT_format
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { partOf, plainOf } from '../../minecraft/snbt.js'
import { compounds } from '../../minecraft/items.js'
import { nbt } from '../../minecraft/index.js'
import { COLOURS as BAR_COLOURS, STYLES } from '../../scores/bossbars.js'
import { criterionOf } from '../../scores/criteria.js'
import { uuidTag } from '../../entities/entity-data.js'
import { SLOTS, wrapped } from '../../scores/scores.js'
import { COLOURS } from '../../scores/teams.js'
import { componentOf } from '../../minecraft/texts.js'
import { listIn } from './columns.js'
import { nbtBytes, readNbt } from './nbt-bytes.js'
import { LARGEST } from './region.js'

/** @import { Board, Component, Tag } from '../../types/index.d.ts' */
/** @import { Format } from '../../scores/scores.js' */
/** @typedef {Record<string, any>} Parts of a compound, in prismarine-nbt's form */

const FOLDER = 'data'
const SCOREBOARD = 'scoreboard.dat'
const STORAGE = /^command_storage_([a-z0-9_.-]+)\.dat$/
const DATA_VERSION = 3700
const LONGEST_UUID = 4
const RULES = {
  visibility: ['always', 'never', 'hideForOtherTeams', 'hideForOwnTeam'],
  collision: ['always', 'never', 'pushOtherTeams', 'pushOwnTeam']
}

/** @returns {Tag} */
const nothing = () => nbt.comp({})

/** @param {string} path @returns {Tag} content of a file; empty if it is missing or unreadable */
function readData(path) {
  try {
    if (!statSync(path).isFile()) return nothing()
    const tag = readNbt(gunzipSync(readFileSync(path), { maxOutputLength: LARGEST }))
    return partOf(tag, 'data') ?? nothing()
  } catch {
    return nothing()
  }
}

/** @param {string} folder @param {string} name @param {Parts} data */
function writeData(folder, name, data) {
  mkdirSync(join(folder, FOLDER), { recursive: true })
  const tag = nbt.comp({ data: nbt.comp(data), DataVersion: nbt.int(DATA_VERSION) })
  writeFileSync(join(folder, FOLDER, name), gzipSync(nbtBytes(tag)))
}

/** @param {Tag} tag @param {string} name @param {string} [usual] */
const textIn = (tag, name, usual = '') => {
  const part = partOf(tag, name)
  return part?.type === 'string' ? String(part.value) : usual
}

/** @param {Tag} tag @param {string} name @param {boolean} usual */
const flagIn = (tag, name, usual) => {
  const value = plainOf(tag, name)
  return typeof value === 'number' ? value !== 0 : usual
}

/** @param {Tag} tag @param {string} name @param {number} [usual] */
const numberIn = (tag, name, usual = 0) => {
  const value = plainOf(tag, name)
  return Number.isInteger(value) ? Number(value) : usual
}

/**
 * @template {string} Choice @param {Tag} tag @param {string} name
 * @param {readonly Choice[]} choices the first is the default @returns {Choice}
 */
const choiceIn = (tag, name, choices) => {
  const text = /** @type {Choice} */ (textIn(tag, name))
  return choices.includes(text) ? text : choices[0]
}

/** @param {Tag} tag @param {string} name @returns {string[]} */
const textsIn = (tag, name) => {
  const list = plainOf(tag, name)
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []
}

/**
 * Return a world's scoreboards, teams, boss bars and storage, without values of a wrong type.
 * @param {string} folder @param {Tag} level content of its `level.dat` @returns {Board}
 */
export function readBoard(folder, level) {
  const data = readData(join(folder, FOLDER, SCOREBOARD))
  const scores = listIn(data, 'PlayerScores')
  const objectives = listIn(data, 'Objectives').flatMap((tag) => {
    const criterion = criterionOf(textIn(tag, 'CriteriaName'))
    return criterion ? [objectiveFrom(tag, criterion, scores)] : []
  })
  const names = objectives.map(({ name }) => name)
  const shown = Object.entries(plainOf(data, 'DisplaySlots') ?? {})
  return {
    objectives,
    displays: shown.filter(([slot, name]) => SLOTS.includes(slot) && names.includes(name)),
    teams: listIn(data, 'Teams').map(teamFrom),
    bossbars: Object.entries(partOf(level, 'CustomBossEvents')?.value ?? {}).map(barFrom),
    storage: readStorage(folder)
  }
}

/**
 * @param {Tag} tag @param {string} criterion @param {Tag[]} scores of all objectives
 * @returns {Board['objectives'][number]}
 */
function objectiveFrom(tag, criterion, scores) {
  const name = textIn(tag, 'Name')
  const own = scores.filter((score) => textIn(score, 'Objective') === name)
  const whose = (/** @type {Tag} */ score) => textIn(score, 'Name')
  const looks = own.filter((score) => partOf(score, 'display') ?? partOf(score, 'format'))
  return {
    name,
    criterion,
    display: componentOf(textIn(tag, 'DisplayName', JSON.stringify(name))),
    renderType: choiceIn(tag, 'RenderType', ['integer', 'hearts']),
    updatesNames: flagIn(tag, 'display_auto_update', false),
    format: formatFrom(partOf(tag, 'format')),
    scores: own.map((score) => [whose(score), wrapped(numberIn(score, 'Score'))]),
    enabled: own.filter((score) => !flagIn(score, 'Locked', true)).map(whose),
    looks: looks.map((score) => {
      const display = textIn(score, 'display')
      const format = formatFrom(partOf(score, 'format'))
      return [whose(score), { name: display ? componentOf(display) : null, format }]
    })
  }
}

/** @param {Tag | undefined} tag @returns {Format | null} */
function formatFrom(tag) {
  if (!tag) return null
  const { type, value, ...style } = nbt.simplify(/** @type {any} */ (tag))
  if (type === 'blank') return { kind: 'blank' }
  if (type === 'fixed') return { kind: 'fixed', text: componentOf(String(value ?? '')) }
  return type === 'styled' ? { kind: 'styled', text: style } : null
}

/** @param {Tag} tag @returns {Board['teams'][number]} */
function teamFrom(tag) {
  const name = textIn(tag, 'Name')
  return {
    name,
    displayName: componentOf(textIn(tag, 'DisplayName', JSON.stringify(name))),
    prefix: componentOf(textIn(tag, 'MemberNamePrefix', '""')),
    suffix: componentOf(textIn(tag, 'MemberNameSuffix', '""')),
    color: choiceIn(tag, 'TeamColor', ['reset', ...COLOURS]),
    friendlyFire: flagIn(tag, 'AllowFriendlyFire', true),
    seeFriendlyInvisibles: flagIn(tag, 'SeeFriendlyInvisibles', true),
    nametagVisibility: choiceIn(tag, 'NameTagVisibility', RULES.visibility),
    deathMessageVisibility: choiceIn(tag, 'DeathMessageVisibility', RULES.visibility),
    collisionRule: choiceIn(tag, 'CollisionRule', RULES.collision),
    members: textsIn(tag, 'Players')
  }
}

/** @param {[string, Tag]} entry @returns {Board['bossbars'][number]} */
function barFrom([id, tag]) {
  const ids = plainOf(tag, 'Players')
  return {
    id,
    uuid: randomUUID(),
    name: componentOf(textIn(tag, 'Name', '""')),
    value: numberIn(tag, 'Value'),
    max: Math.max(1, numberIn(tag, 'Max', 100)),
    color: choiceIn(tag, 'Color', ['white', ...BAR_COLOURS]),
    style: choiceIn(tag, 'Overlay', STYLES),
    visible: flagIn(tag, 'Visible', true),
    players: Array.isArray(ids) ? ids.flatMap(uuidFrom) : []
  }
}

/** @param {unknown} value four whole numbers @returns {string[]} the UUID in them, if valid */
function uuidFrom(value) {
  if (!Array.isArray(value) || value.length !== LONGEST_UUID || !value.every(Number.isInteger)) return [] // prettier-ignore
  const digits = value.map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('')
  return [digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')]
}

/** @param {string} folder @returns {[string, Tag][]} */
function readStorage(folder) {
  const there = statSync(join(folder, FOLDER), { throwIfNoEntry: false })?.isDirectory()
  return (there ? readdirSync(join(folder, FOLDER)) : []).flatMap((file) => {
    const space = file.match(STORAGE)?.[1]
    if (!space) return []
    const contents = partOf(readData(join(folder, FOLDER, file)), 'contents')
    const parts = Object.entries(/** @type {Record<string, Tag>} */ (contents?.value ?? {}))
    return parts
      .filter(([, tag]) => tag.type === 'compound')
      .map(([path, tag]) => /** @type {[string, Tag]} */ ([`${space}:${path}`, tag]))
  })
}

/** @param {Component} component */
const json = (component) => nbt.string(JSON.stringify(component))
/** @param {boolean} isSo */
const flag = (isSo) => nbt.byte(Number(isSo))
/** @param {string[]} texts */
const strings = (texts) => ({
  type: 'list',
  value: { type: texts.length ? 'string' : 'end', value: texts }
})

/** @param {Format | null} format @returns {Parts} */
function formatParts(format) {
  if (!format) return {}
  const type = nbt.string(format.kind)
  if (format.kind === 'blank') return { format: nbt.comp({ type }) }
  if (format.kind === 'fixed') return { format: nbt.comp({ type, value: json(format.text) }) }
  const style = Object.entries(format.text).map(([name, value]) => [
    name,
    typeof value === 'boolean' ? flag(value) : nbt.string(String(value))
  ])
  return { format: nbt.comp({ type, ...Object.fromEntries(style) }) }
}

/**
 * Write scoreboards, teams and storage into `data`.
 * @param {string} folder of the world @param {Board} board
 */
export function writeBoard(folder, { objectives, displays, teams, storage }) {
  const scores = objectives.flatMap(({ name, scores, enabled, looks }) => {
    const dressed = new Map(looks)
    return scores.map(([holder, score]) => {
      const look = dressed.get(holder)
      return nbt.comp(
        /** @type {Parts} */ ({
          Name: nbt.string(holder),
          Objective: nbt.string(name),
          Score: nbt.int(score),
          Locked: flag(!enabled.includes(holder)),
          ...(look?.name ? { display: json(look.name) } : {}),
          ...formatParts(look?.format ?? null)
        })
      )
    })
  })
  const slots = displays.map(([slot, name]) => [slot, nbt.string(name)])
  writeData(folder, SCOREBOARD, {
    Objectives: compounds(objectives.map(objectiveTag)),
    PlayerScores: compounds(scores),
    Teams: compounds(teams.map(teamTag)),
    DisplaySlots: nbt.comp(Object.fromEntries(slots))
  })
  const spaces = Map.groupBy(storage, ([name]) => name.split(':')[0])
  for (const [space, parts] of spaces) {
    const contents = parts.map(([name, tag]) => [name.slice(space.length + 1), tag])
    writeData(folder, `command_storage_${space}.dat`, {
      contents: nbt.comp(Object.fromEntries(contents))
    })
  }
}

/** @param {Board['objectives'][number]} objective @returns {Tag} */
const objectiveTag = ({ name, criterion, display, renderType, updatesNames, format }) =>
  nbt.comp({
    Name: nbt.string(name),
    CriteriaName: nbt.string(criterion),
    DisplayName: json(display),
    RenderType: nbt.string(renderType),
    display_auto_update: flag(updatesNames),
    ...formatParts(format)
  })

/** @param {Board['teams'][number]} team @returns {Tag} */
const teamTag = (team) =>
  nbt.comp(
    /** @type {Parts} */ ({
      Name: nbt.string(team.name),
      DisplayName: json(team.displayName),
      ...(team.color === 'reset' ? {} : { TeamColor: nbt.string(team.color) }),
      AllowFriendlyFire: flag(team.friendlyFire),
      SeeFriendlyInvisibles: flag(team.seeFriendlyInvisibles),
      MemberNamePrefix: json(team.prefix),
      MemberNameSuffix: json(team.suffix),
      NameTagVisibility: nbt.string(team.nametagVisibility),
      DeathMessageVisibility: nbt.string(team.deathMessageVisibility),
      CollisionRule: nbt.string(team.collisionRule),
      Players: strings(team.members)
    })
  )

/** Return the boss bars for `level.dat`. @param {Board} board @returns {Parts} */
export function barParts({ bossbars }) {
  const bars = bossbars.map((bar) => {
    const players = bar.players.map((uuid) => uuidTag(uuid).value)
    const tag = nbt.comp(
      /** @type {Parts} */ ({
        Name: json(bar.name),
        Visible: flag(bar.visible),
        Value: nbt.int(bar.value),
        Max: nbt.int(bar.max),
        Color: nbt.string(bar.color),
        Overlay: nbt.string(bar.style),
        DarkenScreen: flag(false),
        PlayBossMusic: flag(false),
        CreateWorldFog: flag(false),
        Players: {
          type: 'list',
          value: { type: players.length ? 'intArray' : 'end', value: players }
        }
      })
    )
    return [bar.id, tag]
  })
  return { CustomBossEvents: nbt.comp(Object.fromEntries(bars)) }
}
