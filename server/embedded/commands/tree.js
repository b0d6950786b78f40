/**
 * Tree of commands for clients: vanilla's own from minecraft-data, limited to the supported
 * commands.
 */
import { registry } from '../minecraft/index.js'

/** @import { Command } from './index.js' */
/** @import { CommandNode, Fields } from '../types/index.d.ts' */

const KINDS = { root: 0, literal: 1, argument: 2 }
const STRINGS = { word: 'SINGLE_WORD', phrase: 'QUOTABLE_PHRASE', greedy: 'GREEDY_PHRASE' }

/**
 * Return the possible first words.
 * @param {ReadonlyMap<string, Command>} known @param {'op' | 'player'} level
 * @returns {CommandNode[]}
 */
export function commandsOf(known, level) {
  return registry.commands.root.children.flatMap((node) => {
    const command = known.get(node.name)
    if (!command || (level !== 'op' && !command.isForAll)) return []
    const { branches } = command
    const children = branches
      ? node.children.filter((child) => branches.includes(child.name))
      : node.children
    return [{ ...node, children }]
  })
}

/**
 * @param {ReadonlyMap<string, Command>} known @param {'op' | 'player'} level
 * @returns {Fields} of the packet declare_commands
 */
export function treeOf(known, level) {
  /** @type {Fields[]} */
  const nodes = []
  const redirects = /** @type {(() => void)[]} */ ([])
  /** @type {Map<string, number>} first words → their nodes */
  const firsts = new Map()

  /** @param {CommandNode} node @returns {number} its index */
  function add(node) {
    const index = nodes.push({}) - 1
    const children = node.children.map(add)
    const target = node.redirects[0]
    const isRedirect = target !== undefined
    const fields = {
      flags: {
        unused: 0,
        has_custom_suggestions: asksServer(node) ? 1 : 0,
        has_redirect_node: Number(isRedirect),
        has_command: Number(node.executable),
        command_node_type: KINDS[node.type]
      },
      children,
      redirectNode: /** @type {number | undefined} */ (undefined),
      extraNodeData: extraOf(node)
    }
    nodes[index] = fields
    if (isRedirect) redirects.push(() => (fields.redirectNode = firsts.get(target) ?? root))
    return index
  }

  const commands = commandsOf(known, level)
  const root = add({ type: 'root', name: 'root', executable: false, redirects: [], children: [] })
  const children = commands.map((node) => {
    const index = add(node)
    firsts.set(node.name, index)
    return index
  })
  nodes[root] = { ...nodes[root], children }
  for (const redirect of redirects) redirect()
  return { nodes, rootIndex: root }
}

/** @param {CommandNode} node */
function extraOf(node) {
  if (node.type === 'root') return undefined
  if (!node.parser) return { name: node.name }
  const { parser, modifier } = node.parser
  return {
    name: node.name,
    parser,
    properties: propertiesOf(parser, modifier ?? {}),
    suggestionType: asksServer(node) ? 'minecraft:ask_server' : undefined
  }
}

/** Return true if only the server knows the completions. @param {CommandNode} node */
const asksServer = ({ parser }) =>
  parser?.parser === 'minecraft:resource_location' || parser?.parser === 'minecraft:score_holder'

/**
 * @param {string} parser
 * @param {NonNullable<NonNullable<CommandNode['parser']>['modifier']>} modifier
 */
function propertiesOf(parser, { type, amount, min, max, registry: name }) {
  if (parser === 'brigadier:string') return STRINGS[/** @type {'word'} */ (type)]
  if (parser === 'minecraft:entity') {
    const isSingle = Number(amount === 'single')
    const isPlayers = Number(type === 'players')
    return { unused: 0, onlyAllowPlayers: isPlayers, onlyAllowEntities: isSingle }
  }
  if (parser === 'minecraft:score_holder') {
    return { unused: 0, allowMultiple: Number(amount === 'multiple') }
  }
  if (parser === 'minecraft:time') return { min: min ?? 0 }
  if (name !== undefined) return { registry: name }
  if (!/^brigadier:(float|double|integer|long)$/.test(parser)) return undefined
  return {
    flags: {
      unused: 0,
      max_present: Number(max !== undefined),
      min_present: Number(min !== undefined)
    },
    min,
    max
  }
}
