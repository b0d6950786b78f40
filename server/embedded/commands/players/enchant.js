import { registry } from '../../minecraft/index.js'
import { nameOfEntity, nameOfItem, oneOrMany, translated } from '../../minecraft/texts.js'
import { copyOf } from '../../windows/store.js'
import { CommandError, Reply } from '../replies.js'

/** @import { Component, Enchantment, Entity, Item, Player } from '../../types/index.d.ts' */

/** @type {import('../index.js').Command} */
export const command = {
  names: ['enchant'],
  run: ({ args }) => {
    const targets = args.entities()
    const kind = kindOf(args)
    const level = args.done ? 1 : args.integer({ min: 0 })
    args.end()
    if (level > kind.maxLevel)
      throw new CommandError('commands.enchant.failed.level', level, kind.maxLevel)
    const players = targets.filter((target) => refusal(target, kind) === null)
    const reason = targets.length === 1 && refusal(targets[0], kind)
    if (reason) throw reason
    if (!players.length) throw new CommandError('commands.enchant.failed')
    for (const player of /** @type {Player[]} */ (players)) {
      const item = /** @type {Item} */ (copyOf(player.heldItem))
      item.nbt = structuredClone(item.nbt) // items are immutable, so make a new one
      item.enchants = [...item.enchants, { name: kind.name, lvl: level }]
      player.heldItem = item
    }
    const values = { before: [titleOf(kind, level)] }
    return new Reply(oneOrMany('commands.enchant.success', targets, values)).worth(players.length)
  }
}

/** @param {import('../arguments/reader.js').Reader} args @returns {Enchantment} */
function kindOf(args) {
  const id = args.identifier()
  const kind = registry.enchantmentsByName[id.replace('minecraft:', '')]
  if (kind) return kind
  throw args.error('argument.resource.not_found', id, 'minecraft:enchantment')
}

/**
 * Return why an entity cannot get an enchantment, or null.
 * @param {Entity} target @param {Enchantment} kind @returns {CommandError | null}
 */
function refusal(target, kind) {
  const isLiving = target.type === 'player' || target.type === 'mob'
  const name = nameOfEntity(target)
  if (!isLiving) return new CommandError('commands.enchant.failed.entity', name)
  const item = target.type === 'player' ? target.heldItem : null
  if (!item) return new CommandError('commands.enchant.failed.itemless', name)
  const fits = registry.items[item.type].enchantCategories?.includes(kind.category)
  const isFree = item.enchants.every(
    (other) => other.name !== kind.name && !kind.exclude.includes(other.name)
  )
  if (fits && isFree) return null
  return new CommandError('commands.enchant.failed.incompatible', nameOfItem(item.name))
}

/** @param {Enchantment} kind @param {number} level @returns {Component} */
function titleOf(kind, level) {
  const name = translated(`enchantment.minecraft.${kind.name}`)
  const title = { ...name, color: kind.curse ? 'red' : 'gray' }
  if (level === 1 && kind.maxLevel === 1) return title
  return { ...title, extra: [{ text: ' ' }, translated(`enchantment.level.${level}`)] }
}
