/**
 * Wool: colours of sheep, dyeing, shearing, and inheritance of colours.
 *
 * The frequencies of colours are vanilla's (minecraft.wiki: Sheep).
 */
import { plainOf } from '../minecraft/snbt.js'
import { itemNamed, registry } from '../minecraft/index.js'
import { craft } from '../workshops/recipes.js'

/** @import { Animal, Entity, Item, Player, Server } from '../types/index.d.ts' */

/** Colours in the protocol's order, in which the wool blocks are also numbered. */
export const COLOURS = registry.blocksArray
  .map(({ name }) => name)
  .filter((name) => name.endsWith('_wool'))
  .map((name) => name.replace('_wool', ''))
const DYE = /^(.*)_dye$/
/** Colours of naturally spawning sheep; the rest are white. @type {[string, number][]} */
const SHARES = [
  ['black', 0.05],
  ['gray', 0.05],
  ['light_gray', 0.05],
  ['brown', 0.03],
  ['pink', 0.82 / 500]
]

/** @param {() => number} random */
function drawn(random) {
  let left = random()
  const found = SHARES.find(([, share]) => (left -= share) < 0)
  return COLOURS.indexOf(found ? found[0] : 'white')
}

/** Return the item name of a sheep's wool. @param {Animal} sheep */
export const woolOf = (sheep) => `${COLOURS[sheep.colour]}_wool`

/** @param {Server} serv */
export function server(serv) {
  const random = serv.randomSequence('minecraft:wool')

  serv.onSummon(['sheep'], (position, data) => {
    const sheep = serv.spawnAnimal('sheep', position)
    const colour = data && plainOf(data, 'Color')
    if (colour !== undefined && colour in COLOURS) sheep.colour = Number(colour)
    return sheep
  })

  serv.on('animalBorn', (young, ...parents) => {
    if (young.name !== 'sheep') return
    young.colour = mixed(parents[0].colour, parents[1].colour, random)
  })
}

/** @param {Entity} entity @param {Server} serv */
export function entity(entity, serv) {
  if (entity.type !== 'mob') return
  entity.colour = entity.name === 'sheep' ? drawn(serv.randomSequence('minecraft:wool')) : 0
}

/**
 * Return a lamb's colour: the mixture of the parents' dyes, or one of the two.
 * @param {number} one @param {number} other @param {() => number} random
 */
function mixed(one, other, random) {
  const dyes = [one, other].map((colour) => itemNamed(`${COLOURS[colour]}_dye`))
  const made = DYE.exec(craft([...dyes, null, null])?.name ?? '')
  return made ? COLOURS.indexOf(made[1]) : random() < 0.5 ? one : other
}

/**
 * @param {Player} player @param {Animal} sheep @param {Item} item
 * @returns {boolean} true if it is a dye of another colour
 */
export function dye(player, sheep, item) {
  const colour = COLOURS.indexOf(DYE.exec(item.name)?.[1] ?? '')
  if (colour < 0 || colour === sheep.colour || sheep.isShorn) return false
  sheep.colour = colour
  player.useUpHeld()
  return true
}
