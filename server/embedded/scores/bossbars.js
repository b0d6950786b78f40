/** Boss bars that commands have created. */
import { randomUUID } from 'node:crypto'
import { packed } from '../minecraft/texts.js'

/** @import { Component, Player, Server } from '../types/index.d.ts' */

const ACTION = { add: 0, remove: 1, health: 2, title: 3, style: 4 }

/** Vanilla's colours and styles, by their numbers in the protocol. */
export const COLOURS = ['pink', 'blue', 'red', 'green', 'yellow', 'purple', 'white']
export const STYLES = ['progress', 'notched_6', 'notched_10', 'notched_12', 'notched_20']

/**
 * @typedef {object} Bossbar
 * @property {string} id
 * @property {string} uuid
 * @property {Component} name
 * @property {number} value
 * @property {number} max
 * @property {string} color
 * @property {string} style
 * @property {boolean} visible
 * @property {Set<string>} players their uuids
 */

/** @param {Server} serv */
export function server(serv) {
  serv.bossbars = new Map()
  const viewers = (/** @type {Bossbar} */ bar) =>
    serv.players.filter(({ uuid }) => bar.visible && bar.players.has(uuid))

  serv.addBossbar = (id, name) => {
    const looks = { color: 'white', style: 'progress', visible: true }
    /** @type {Bossbar} */
    const bar = { id, uuid: randomUUID(), name, value: 0, max: 100, ...looks, players: new Set() }
    serv.bossbars.set(id, bar)
    return bar
  }

  serv.removeBossbar = (bar) => {
    hide(serv, bar, viewers(bar))
    serv.bossbars.delete(bar.id)
  }

  serv.changeBossbar = (bar, changes) => {
    const before = viewers(bar)
    Object.assign(bar, changes)
    bar.value = Math.min(bar.max, Math.max(0, bar.value))
    const after = viewers(bar)
    hide(
      serv,
      bar,
      before.filter((player) => !after.includes(player))
    )
    serv.showBossbar(
      bar,
      after.filter((player) => !before.includes(player))
    )
    const staying = after.filter((player) => before.includes(player))
    const all = packetOf(bar)
    const tell = (/** @type {number} */ action, /** @type {(keyof typeof all)[]} */ ...fields) =>
      serv.send(staying, 'boss_bar', {
        entityUUID: bar.uuid,
        action,
        ...Object.fromEntries(fields.map((field) => [field, all[field]]))
      })
    if ('value' in changes || 'max' in changes) tell(ACTION.health, 'health')
    if ('name' in changes) tell(ACTION.title, 'title')
    if ('color' in changes || 'style' in changes) tell(ACTION.style, 'color', 'dividers')
  }

  serv.showBossbar = (bar, players) =>
    serv.send(players, 'boss_bar', { entityUUID: bar.uuid, action: ACTION.add, ...packetOf(bar) })
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.on('connected', () => {
    for (const bar of serv.bossbars.values()) {
      if (bar.visible && bar.players.has(player.uuid)) serv.showBossbar(bar, [player])
    }
  })
}

/** @param {Server} serv @param {Bossbar} bar @param {Player[]} players */
const hide = (serv, { uuid }, players) =>
  serv.send(players, 'boss_bar', { entityUUID: uuid, action: ACTION.remove })

/** @param {Bossbar} bar */
const packetOf = ({ name, value, max, color, style }) => ({
  title: packed(name),
  health: value / max,
  color: COLOURS.indexOf(color),
  dividers: STYLES.indexOf(style),
  flags: 0
})
