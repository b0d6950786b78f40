/** Kinds of monsters and their abilities (minecraft.wiki: Zombie, Skeleton, Spider). */

/**
 * @typedef {object} MonsterKind
 * @property {[number, number, number]} [blows] damage of a blow in half hearts, from easy to hard
 * @property {boolean} [shoots] true if it has a bow instead
 * @property {number} notices distance at which it notices a player, in blocks
 * @property {number} [pace] speed relative to a zombie
 * @property {boolean} [climbs] true if it climbs walls, and leaps
 * @property {boolean} [burns] true if daylight sets it on fire
 * @property {boolean} [isTamedByLight] true if in bright light it attacks only players who have
 * hurt it
 */

/** @type {MonsterKind['blows']} */
const ZOMBIES = [2.5, 3, 4.5]
const SPIDERS = { pace: 1.3, climbs: true, isTamedByLight: true, notices: 16 }

/** @type {Record<string, MonsterKind>} */
export const MONSTERS = {
  zombie: { blows: ZOMBIES, notices: 35, burns: true },
  zombie_villager: { blows: ZOMBIES, notices: 35, burns: true },
  husk: { blows: ZOMBIES, notices: 35 },
  drowned: { blows: ZOMBIES, notices: 35, burns: true },
  skeleton: { shoots: true, notices: 16, burns: true },
  stray: { shoots: true, notices: 16, burns: true },
  spider: { blows: [2, 2, 3], ...SPIDERS },
  cave_spider: { blows: [2, 2, 3], ...SPIDERS }
}

export const PEACEFUL = 0
