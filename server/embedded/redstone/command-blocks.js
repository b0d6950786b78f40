/** Command blocks: operators in creative mode enter commands into them, and power runs the commands. */
import { runCommand } from '../commands/index.js'
import { nbt, registry, Vec3 } from '../minecraft/index.js'
import { plain, translated } from '../minecraft/texts.js'
import { blockAt, FACES, key, propertiesOf, stateAt, stateLike } from '../blocks/blocks.js'
import { CREATIVE } from '../players/game-modes.js'
import { DIRECTIONS } from '../blocks/orientation.js'

/** @import { Component, Player, Server } from '../types/index.d.ts' */
/** @import { CommandBlock } from '../types/additions.d.ts' */

const BLOCKS = ['chain_command_block', 'repeating_command_block', 'command_block']
const FLAG = { tracks: 1, conditional: 2, always: 4 }
const MOST_CHAINED = 65_536

/** @param {Server} serv */
export function server(serv) {
  serv.commandBlocks = new Map()

  serv.setCommand = (position, { command = '', isAlways = false, tracks = true }) => {
    const before = serv.commandBlocks.get(key(position))
    /** @type {CommandBlock} */
    const block = {
      position,
      isPowered: false,
      output: null,
      success: 0,
      ...before,
      command,
      isAlways,
      tracks
    }
    serv.commandBlocks.set(key(position), block)
    const isImpulse = blockAt(serv, position).name === 'command_block'
    if (isImpulse && isAlways && !before?.isAlways) execute(serv, block)
  }

  serv.commandData = (position) => {
    const block = serv.commandBlocks.get(key(position))
    return nbt.comp({
      Command: nbt.string(block?.command ?? ''),
      SuccessCount: nbt.int(block?.success ?? 0),
      CustomName: nbt.string('{"text":"@"}'),
      TrackOutput: nbt.byte(Number(block?.tracks ?? true)),
      UpdateLastExecution: nbt.byte(1),
      powered: nbt.byte(Number(block?.isPowered ?? false)),
      conditionMet: nbt.byte(1),
      auto: nbt.byte(Number(block?.isAlways ?? false)),
      ...(block?.output && block.tracks
        ? { LastOutput: nbt.string(JSON.stringify({ text: plain(block.output) })) }
        : {})
    })
  }

  serv.on('blockChanged', (position, before, after) => {
    const [was, is] = [registry.blocksByStateId[before].name, registry.blocksByStateId[after].name]
    if (!BLOCKS.includes(is)) serv.commandBlocks.delete(key(position))
    else if (!BLOCKS.includes(was)) serv.setCommand(position, {})
  })

  serv.once('asap', () => {
    serv.onPower(BLOCKS, (position, isPowered) => {
      const block = serv.commandBlocks.get(key(position))
      if (!block || block.isPowered === isPowered) return
      block.isPowered = isPowered
      if (isPowered && blockAt(serv, position).name === 'command_block') execute(serv, block)
    })
    serv.onUseBlock(BLOCKS, (player, position) => {
      if (!player.op || player.gameMode !== CREATIVE) return false
      serv.sendBlockEntity(position, [player])
      return true
    })
  })

  serv.on('tick', () => {
    for (const block of serv.commandBlocks.values()) {
      const isRunning = block.isAlways || block.isPowered
      if (isRunning && blockAt(serv, block.position).name === 'repeating_command_block')
        execute(serv, block)
    }
  })
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player._client.on('update_command_block', ({ location, command, mode, flags }) => {
    const position = new Vec3(location.x, location.y, location.z)
    if (!player.op || player.gameMode !== CREATIVE) {
      return player.system(translated('advMode.notAllowed'))
    }
    const state = stateAt(serv.overworld, position)
    const kind = registry.blocksByName[BLOCKS[mode]]
    if (!kind || !BLOCKS.includes(registry.blocksByStateId[state].name)) return
    const conditional = String(Boolean(flags & FLAG.conditional))
    const { facing } = propertiesOf(state)
    serv.setBlock(position, stateLike(kind, { facing, conditional }))
    const [isAlways, tracks] = [Boolean(flags & FLAG.always), Boolean(flags & FLAG.tracks)]
    serv.setCommand(position, { command, isAlways, tracks })
    serv.resendBlock(position)
    serv.sendBlockEntity(position)
    if (command) player.system(translated('advMode.setCommand.success', command))
  })
}

/**
 * Run a block's command, and the commands of the chain that it points to.
 * @param {Server} serv @param {CommandBlock} first
 */
async function execute(serv, first) {
  /** @type {CommandBlock | undefined} */
  let block = first
  for (let count = 0; block && count < MOST_CHAINED; count++) {
    await runOne(serv, block)
    const { facing } = propertiesOf(stateAt(serv.overworld, block.position))
    /** @type {Vec3} */
    const next = block.position.plus(FACES[DIRECTIONS.indexOf(facing)] ?? FACES[1])
    const follower = serv.commandBlocks.get(key(next))
    const isOn = follower?.isAlways || follower?.isPowered
    block = isOn && blockAt(serv, next)?.name === 'chain_command_block' ? follower : undefined
  }
}

/** @param {Server} serv @param {CommandBlock} block */
async function runOne(serv, block) {
  if (!block.command) return
  const title = { text: '@' }
  const position = block.position.offset(0.5, 0.5, 0.5)
  const { texts, isRefused } = await runCommand(serv, block.command, {
    title,
    level: 'op',
    position
  })
  block.success = isRefused ? 0 : 1
  block.output = /** @type {Component | undefined} */ (texts[0]) ?? null
}
