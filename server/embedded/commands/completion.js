/** Completion of commands by the command tree that clients receive (tree.js). */
import { registry } from '../minecraft/index.js'
import { allCriteria } from '../scores/criteria.js'
import { SLOTS } from '../scores/scores.js'
import { NETHER, OVERWORLD } from '../world/dimensions.js'
import { COLOURS } from '../scores/teams.js'
import { BY_NAME } from './index.js'
import { commandsOf } from './tree.js'

/** @import { CommandNode, Server } from '../types/index.d.ts' */
/** @import { Source } from './index.js' */

/** Number of words in arguments that consist of several. @type {Record<string, number>} */
const WORDS = {
  'minecraft:block_pos': 3,
  'minecraft:vec3': 3,
  'minecraft:vec2': 2,
  'minecraft:column_pos': 2,
  'minecraft:rotation': 2
}
const SELECTORS = ['@a', '@e', '@p', '@r', '@s']
const MODES = ['adventure', 'creative', 'spectator', 'survival']

/** @param {string[]} names */
const ids = (names) => names.map((name) => `minecraft:${name}`)
/** @param {Server} serv */
const names = (serv) => [...SELECTORS, ...serv.players.map(({ username }) => username)]

/** Computed on demand, because there are thousands. @type {string[] | undefined} */
let criteria

/**
 * Possible words, by parser or by registry.
 * @type {Record<string, (serv: Server, node: CommandNode) => string[]>}
 */
const CHOICES = {
  'brigadier:bool': () => ['false', 'true'],
  'minecraft:block_pos': () => ['~', '~ ~', '~ ~ ~'],
  'minecraft:block_predicate': () => ids(Object.keys(registry.blocksByName)),
  'minecraft:block_state': () => ids(Object.keys(registry.blocksByName)),
  'minecraft:color': () => [...COLOURS, 'reset'],
  'minecraft:dimension': () => [OVERWORLD, NETHER],
  'minecraft:enchantment': () => ids(registry.enchantmentsArray.map(({ name }) => name)),
  'minecraft:entity': names,
  'minecraft:entity_anchor': () => ['eyes', 'feet'],
  'minecraft:entity_type': () => ids(Object.keys(registry.entitiesByName)),
  'minecraft:game_profile': names,
  'minecraft:gamemode': () => MODES,
  'minecraft:item_predicate': () => ids(Object.keys(registry.itemsByName)),
  'minecraft:item_stack': () => ids(Object.keys(registry.itemsByName)),
  'minecraft:mob_effect': () =>
    ids(
      registry.effectsArray.map(({ name }) => name.replace(/(?<!^)([A-Z])/g, '_$1').toLowerCase())
    ),
  'minecraft:objective': (serv) => [...serv.objectives.keys()],
  'minecraft:objective_criteria': () => (criteria ??= allCriteria()),
  'minecraft:operation': () => ['=', '+=', '-=', '*=', '/=', '%=', '<', '>', '><'],
  'minecraft:particle': () => ids(Object.keys(registry.particlesByName)),
  'minecraft:resource_location': (serv, { name }) =>
    name === 'sound' ? ids(Object.keys(registry.soundsByName)) : [...serv.bossbars.keys()],
  'minecraft:score_holder': names,
  'minecraft:scoreboard_slot': () => SLOTS,
  'minecraft:team': (serv) => [...serv.teams.keys()],
  'minecraft:vec3': () => ['~', '~ ~', '~ ~ ~']
}

/**
 * @param {Server} serv @param {string} text typed so far, with or without the leading slash
 * @param {Source} source
 * @returns {{start: number, length: number, matches: string[]}} completions of the last word, which begins at `start`
 */
export function completionsOf(serv, text, source) {
  const words = text.replace(/^\//, '').trimStart().split(' ')
  const last = words.pop() ?? ''
  const first = commandsOf(BY_NAME, source.level)
  /** @type {{nodes: CommandNode[], left: number}} */
  let place = { nodes: first, left: 0 }
  for (const word of words) place = after(place, word, first)
  const matches = place.left
    ? []
    : place.nodes.flatMap((node) => choicesOf(serv, node).filter((choice) => begins(choice, last)))
  return {
    start: text.length - last.length,
    length: last.length,
    matches: [...new Set(matches)].sort()
  }
}

/**
 * Return the position in the tree after a word.
 * @param {{nodes: CommandNode[], left: number}} place possible nodes, and the number of missing words of an argument
 * @param {string} word @param {CommandNode[]} first
 */
function after({ nodes, left }, word, first) {
  if (left) return { nodes, left: left - 1 }
  const literal = nodes.find(({ type, name }) => type === 'literal' && name === word)
  const argument = nodes.filter(({ type }) => type === 'argument')
  const chosen = literal ? [literal] : argument
  const next = chosen.flatMap(({ children, redirects, name }) => {
    const [target] = redirects
    if (target !== undefined) return first.find((node) => node.name === target)?.children ?? []
    return name === 'run' && !children.length ? first : children
  })
  const size = literal
    ? 1
    : Math.max(1, ...argument.map(({ parser }) => WORDS[parser?.parser ?? ''] ?? 1))
  return { nodes: next, left: size - 1 }
}

/** @param {Server} serv @param {CommandNode} node */
function choicesOf(serv, node) {
  if (node.type === 'literal') return [node.name]
  const { parser = '', modifier } = node.parser ?? {}
  return CHOICES[modifier?.registry ?? parser]?.(serv, node) ?? []
}

/**
 * Return true if a choice starts with the text; the namespace of resources is optional.
 * @param {string} choice @param {string} typed
 */
const begins = (choice, typed) =>
  choice.startsWith(typed) || (typed !== '' && choice.replace(/^minecraft:/, '').startsWith(typed))
