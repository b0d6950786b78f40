import { CommandError, Reply } from '../replies.js'
import { commandsOf } from '../tree.js'

/** @import { CommandNode } from '../../types/index.d.ts' */

/** Up to this many alternatives are listed in full. */
const MOST_WAYS = 1

/** Format a node: `<name>` for an argument. @param {CommandNode} node */
const wordOf = ({ type, name }) => (type === 'argument' ? `<${name}>` : name)

/**
 * Format what may follow a node, like vanilla's help.
 * @param {CommandNode} node @returns {string}
 */
function usageOf(node) {
  const own = wordOf(node)
  if (node.redirects.length) return `${own} -> ${node.redirects[0]}`
  const { children } = node
  if (!children.length) return own
  const ways =
    children.length > MOST_WAYS ? `(${children.map(wordOf).join('|')})` : usageOf(children[0])
  return `${own} ${node.executable ? ways.replace(/^[(]?/, '[').replace(/[)]?$/, ']') : ways}`
}

/** @type {import('../index.js').Command} */
export const command = {
  names: ['help'],
  isForAll: true,
  run: ({ source, args, commands }) => {
    const known = commandsOf(commands, source.level)
    const name = args.done ? null : args.rest().split(' ', 1)[0]
    const told = known.filter((node) => name === null || node.name === name)
    if (!told.length) throw new CommandError('commands.help.failed')
    return told.map(
      (node) => new Reply({ text: `/${usageOf(node)}` }, { isPrivate: true, result: told.length })
    )
  }
}
