import { nameOf } from './reader.js'

/** @type {import('./index.js').Command} */
export const command = {
  names: ['kill'],
  usage: 'kill [targets]',
  run: ({ serv, source, args }) => {
    const targets = args.done && source.player ? [source.player] : args.entities()
    args.end()
    for (const target of targets) kill(serv, target)
    return targets.length === 1
      ? `Killed ${nameOf(targets[0])}`
      : `Killed ${targets.length} entities`
  }
}

/** @param {any} serv @param {any} entity */
function kill(serv, entity) {
  if (entity.item) return serv.removeDrop(entity)
  if (entity.type !== 'player') return entity.destroy()
  entity.closeContainer()
  if (!serv.gamerules.keepInventory) {
    entity.inventory.slots.forEach((/** @type {any} */ item, /** @type {number} */ slot) => {
      if (!item) return
      entity.inventory.updateSlot(slot, null)
      serv.dropItem(item, entity.position.offset(0, 0.5, 0), { thrown: true })
    })
  }
  entity.updateHealth(0)
}
