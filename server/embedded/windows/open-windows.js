/** Players' open windows, and clicks in them. */
import { Item } from '../minecraft/index.js'
import { craftingWindow, inventoryWindow } from './kinds.js'
import { packed } from '../minecraft/texts.js'

/** @import { Player, Server } from '../types/index.d.ts' */

/** Window type numbers of 1.20.4. @type {Record<string, number>} */
const WINDOW_TYPES = {
  'minecraft:generic_9x3': 2,
  'minecraft:generic_9x6': 5,
  'minecraft:generic_3x3': 6,
  'minecraft:anvil': 8,
  'minecraft:blast_furnace': 10,
  'minecraft:brewing_stand': 11,
  'minecraft:crafting': 12,
  'minecraft:enchantment': 13,
  'minecraft:furnace': 14,
  'minecraft:hopper': 16,
  'minecraft:lectern': 17,
  'minecraft:merchant': 19,
  'minecraft:shulker_box': 20,
  'minecraft:smoker': 22
}

/** @param {Server} serv */
export function server(serv) {
  /** Send all players the changes in their windows, then the changes of their experience. */
  serv.sendWindows = () => {
    for (const player of serv.players) {
      player.window.sendChanges(player.connection)
      player.sendChangedExperience()
    }
  }
  serv.on('tickEnd', serv.sendWindows)

  serv.once('asap', () => {
    serv.onUseBlock(['crafting_table'], (player) => {
      player.openWindow(craftingWindow(player.inventory, player.hand))
      return true
    })
  })
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  const { _client: client, grid } = player
  player.connection = {
    write: (name, fields) => client.write(name, fields),
    toNotch: Item.toNotch.bind(Item),
    stateId: 0
  }
  const ownWindow = inventoryWindow(player.inventory, grid, player.hand)
  player.window = ownWindow

  client.on('window_click', (click) => {
    const { window } = player
    if (click.windowId !== window.id || player.isDead) {
      window.isLost = true // the client believes that its click succeeded
      return
    }
    try {
      window.click(click, player.hand, player.connection)
    } catch (error) {
      serv.err(`${player.username}: click ${JSON.stringify(click)}: ${error}`)
      window.sendAll(player.connection)
    }
  })

  client.on('close_window', () => player.closeWindow())

  /** Give back items from the cursor and from grids, and return to the player's own window. */
  player.closeWindow = () => {
    const closed = player.window
    const loose = [closed.cursor, ...(closed === ownWindow ? grid.empty() : [])]
    closed.cursor = null
    player.window = ownWindow
    if (closed !== ownWindow) {
      ownWindow.learnFrom(closed)
      closed.onClose?.()
    }
    for (const item of loose) {
      const left = item && player.giveItem(item)
      if (left) player.throwItem(left)
    }
  }

  /** Close the player's window on the server and on the client. */
  player.shutWindow = () => {
    if (player.window === ownWindow) return
    client.write('close_window', { windowId: player.window.id })
    player.closeWindow()
  }

  let lastWindowId = 0

  player.openWindow = (window) => {
    player.shutWindow() // as in vanilla, notify the client if a window was open
    player.closeWindow()
    lastWindowId = (lastWindowId % 100) + 1
    window.id = lastWindowId
    player.window = window
    client.write('open_window', {
      windowId: window.id,
      inventoryType: WINDOW_TYPES[window.type],
      windowTitle: packed({ text: window.title })
    })
    window.sendAll(player.connection)
  }
}
