import { createRequire } from 'node:module'
import { CommandError } from './reader.js'
import { stateAt } from '../plugins/blocks.js'

const require = createRequire(import.meta.url)
const { Vec3 } = require('vec3')

const MAX_BLOCKS = 32_768
const MODES = ['destroy', 'hollow', 'keep', 'outline', 'replace']
/** From here on clients get whole columns instead of one packet a block. */
const BLOCK_PACKETS = 256

/** @type {import('./index.js').Command} */
export const command = {
  names: ['fill'],
  usage: 'fill <from> <to> <block> [destroy|hollow|keep|outline|replace [filter]]',
  run: async ({ serv, args }) => {
    const [a, b] = [args.blockPosition(), args.blockPosition()]
    const { state } = args.block()
    const mode = args.done ? 'replace' : args.oneOf(MODES)
    const filter = mode === 'replace' && !args.done ? args.block().block : null
    args.end()
    const [low, high] = [a.min(b), a.max(b)]
    const volume = (high.x - low.x + 1) * (high.y - low.y + 1) * (high.z - low.z + 1)
    if (volume > MAX_BLOCKS) {
      throw new CommandError(
        `Too many blocks in the specified area (maximum ${MAX_BLOCKS}, specified ${volume})`
      )
    }
    await load(serv, low, high)
    const changes = [...planned(serv, low, high, { state, mode, filter })]
    if (!changes.length) throw new CommandError('No blocks were filled')
    await apply(serv, changes)
    return `Successfully filled ${changes.length} block(s)`
  }
}

/** @param {any} serv @param {any} low @param {any} high */
async function load(serv, low, high) {
  for (let x = low.x >> 4; x <= high.x >> 4; x++) {
    for (let z = low.z >> 4; z <= high.z >> 4; z++) await serv.overworld.getColumn(x, z)
  }
}

/**
 * @param {any} serv @param {any} low @param {any} high
 * @param {{state: number, mode: string, filter: any}} what
 * @returns {Generator<{position: any, state: number}>}
 */
function* planned(serv, low, high, { state, mode, filter }) {
  for (let y = low.y; y <= high.y; y++) {
    for (let z = low.z; z <= high.z; z++) {
      for (let x = low.x; x <= high.x; x++) {
        const position = new Vec3(x, y, z)
        const before = stateAt(serv.overworld, position)
        const shell =
          x === low.x || x === high.x || y === low.y || y === high.y || z === low.z || z === high.z
        const after = shell || mode !== 'hollow' ? state : 0
        if (!shell && mode === 'outline') continue
        if (mode === 'keep' && before !== 0) continue
        if (filter && (before < filter.minStateId || before > filter.maxStateId)) continue
        if (before !== after) yield { position, state: after }
      }
    }
  }
}

/** @param {any} serv @param {{position: any, state: number}[]} changes */
async function apply(serv, changes) {
  const columns = new Map()
  for (const { position, state } of changes) {
    serv.removeContainer(position)
    await serv.overworld.setBlockStateId(position, state)
    columns.set(`${position.x >> 4},${position.z >> 4}`, [position.x >> 4, position.z >> 4])
  }
  for (const player of serv.players) {
    if (changes.length <= BLOCK_PACKETS) {
      for (const { position, state } of changes) player.sendBlock(position, state)
      continue
    }
    for (const [id, [x, z]] of columns) {
      const column = serv.overworld.getLoadedColumn(x, z)
      if (player.loadedChunks?.[id]) await player.sendChunk(x, z, column)
    }
  }
}
