/**
 * Things: entities that are neither alive nor items, such as boats, arrows and frames; and the
 * summoning of entities, by commands and spawn eggs.
 */

import { registry } from '../minecraft/index.js'
import { FACES } from '../blocks/blocks.js'
import { topOf } from './bodies.js'

/** @import { Server } from '../types/index.d.ts' */
/** @import { Summon } from '../types/additions.d.ts' */

/** Entities that cannot be summoned in vanilla. */
const NEVER = ['player', 'fishing_bobber']
const EGG = /_spawn_egg$/
const EGGS = Object.keys(registry.itemsByName).filter((name) => EGG.test(name))

/** @param {Server} serv */
export function server(serv) {
  serv.things = new Map()
  /** @type {Map<string, Summon>} */
  const makers = new Map()

  serv.addThing = (name, position, traits) => {
    const thing = Object.assign(serv.newEntity('thing', name, position), { ageTicks: 0 })
    Object.assign(thing, traits(thing))
    serv.things.set(thing.id, thing)
    serv.enterEntity(thing)
    return thing
  }

  serv.removeThing = (thing) => {
    serv.dismountAll(thing)
    serv.things.delete(thing.id)
    serv.removeEntity(thing)
    thing.removed?.()
  }

  serv.onSummon = (names, make) => {
    for (const name of names) makers.set(name, make)
  }

  serv.summon = (name, position, data) => {
    if (!registry.entitiesByName[name] || NEVER.includes(name)) return null
    const make = makers.get(name) ?? (() => serv.addThing(name, position, () => ({})))
    const entity = make(position, data, name)
    serv.label(entity, data)
    return entity
  }

  serv.on('tick', () => {
    for (const thing of serv.things.values()) {
      thing.ageTicks += 1
      thing.step?.()
    }
  })

  serv.once('asap', () => {
    for (const egg of EGGS) {
      serv.onUseItem(egg, (player, position, { direction }) => {
        const cell = topOf(serv, position) === null ? position : position.plus(FACES[direction])
        const name = egg.replace(EGG, '')
        if (!serv.summon(name, cell.offset(0.5, 0, 0.5), undefined)) return false
        player.useUpHeld()
        return true
      })
    }
  })
}
