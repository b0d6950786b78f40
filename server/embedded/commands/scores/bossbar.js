import { COLOURS, STYLES } from '../../scores/bossbars.js'
import { listed, nameOfPlayer } from '../../minecraft/texts.js'
import { CommandError, said, told } from '../replies.js'

/** @import { Component, Player, Server } from '../../types/index.d.ts' */
/** @import { Bossbar } from '../../scores/bossbars.js' */
/** @import { Reader } from '../arguments/reader.js' */

const KEY = 'commands.bossbar'

/** @type {import('../index.js').Command} */
export const command = {
  names: ['bossbar'],
  run: ({ serv, args }) => {
    const action = args.oneOf(['add', 'get', 'list', 'remove', 'set'])
    if (action === 'list') return all(serv)
    if (action === 'add') {
      const id = args.identifier()
      const name = args.component()
      if (serv.bossbars.has(id)) throw new CommandError(`${KEY}.create.failed`, id)
      const bar = serv.addBossbar(id, name)
      return said(`${KEY}.create.success`, titleOf(bar)).worth(serv.bossbars.size)
    }
    const bar = barNamed(serv, args)
    if (action === 'get') return get(serv, bar, args)
    if (action === 'set') return set(serv, bar, args)
    args.end()
    serv.removeBossbar(bar)
    return said(`${KEY}.remove.success`, titleOf(bar)).worth(serv.bossbars.size)
  }
}

/** @param {Server} serv @param {Reader} args @returns {Bossbar} */
export function barNamed(serv, args) {
  const id = args.identifier()
  const bar = serv.bossbars.get(id)
  if (!bar) throw new CommandError(`${KEY}.unknown`, id)
  return bar
}

/** @param {Server} serv */
function all(serv) {
  const bars = [...serv.bossbars.values()]
  if (!bars.length) return told(`${KEY}.list.bars.none`).worth(0)
  return told(`${KEY}.list.bars.some`, bars.length, listed(bars.map(titleOf))).worth(bars.length)
}

/** @param {Server} serv @param {Bossbar} bar @param {Reader} args */
function get(serv, bar, args) {
  const what = args.oneOf(['max', 'players', 'value', 'visible'])
  args.end()
  if (what === 'visible') {
    const state = bar.visible ? 'visible' : 'hidden'
    return told(`${KEY}.get.visible.${state}`, titleOf(bar)).worth(Number(bar.visible))
  }
  if (what !== 'players')
    return told(`${KEY}.get.${what}`, titleOf(bar), bar[what]).worth(bar[what])
  const online = serv.players.filter(({ uuid }) => bar.players.has(uuid))
  if (!online.length) return told(`${KEY}.get.players.none`, titleOf(bar)).worth(0)
  const names = listed(online.map(nameOfPlayer))
  return told(`${KEY}.get.players.some`, titleOf(bar), online.length, names).worth(online.length)
}

/** @param {Server} serv @param {Bossbar} bar @param {Reader} args */
function set(serv, bar, args) {
  const what = args.oneOf(['color', 'max', 'name', 'players', 'style', 'value', 'visible'])
  if (what === 'players') return setPlayers(serv, bar, args)
  if (what === 'name') return change('name', args.component())
  if (what === 'color') return change('color', args.oneOf(COLOURS))
  if (what === 'style') return change('style', args.oneOf(STYLES))
  if (what === 'max') return change('max', args.integer({ min: 1 }))
  if (what === 'value') return change('value', args.integer({ min: 0 }))
  const isVisible = args.boolean()
  const state = isVisible ? 'visible' : 'hidden'
  args.end()
  if (bar.visible === isVisible) throw new CommandError(`${KEY}.set.visibility.unchanged.${state}`)
  serv.changeBossbar(bar, { visible: isVisible })
  return said(`${KEY}.set.visible.success.${state}`, titleOf(bar))

  /**
   * @param {'name' | 'color' | 'style' | 'max' | 'value'} field
   * @param {Component | string | number} value
   */
  function change(field, value) {
    args.end()
    if (JSON.stringify(bar[field]) === JSON.stringify(value)) {
      throw new CommandError(`${KEY}.set.${field}.unchanged`)
    }
    serv.changeBossbar(bar, { [field]: value })
    const shown = typeof value === 'number' ? [value] : []
    return said(`${KEY}.set.${field}.success`, titleOf(bar), ...shown)
  }
}

/** @param {Server} serv @param {Bossbar} bar @param {Reader} args */
function setPlayers(serv, bar, args) {
  /** @type {Player[]} */
  const players = args.done ? [] : args.players()
  args.end()
  const ids = players.map(({ uuid }) => uuid)
  if (ids.length === bar.players.size && ids.every((id) => bar.players.has(id))) {
    throw new CommandError(`${KEY}.set.players.unchanged`)
  }
  serv.changeBossbar(bar, { players: new Set(ids) })
  if (!players.length) return said(`${KEY}.set.players.success.none`, titleOf(bar)).worth(0)
  const names = listed(players.map(nameOfPlayer))
  const key = `${KEY}.set.players.success.some`
  return said(key, titleOf(bar), players.length, names).worth(players.length)
}

/** @param {Bossbar} bar @returns {Component} */
const titleOf = ({ name, color }) => ({
  text: '[',
  color: color === 'pink' ? 'red' : color === 'purple' ? 'dark_blue' : color,
  extra: [name, { text: ']' }]
})
