/** What kinds of monsters there are, and what each can do (minecraft.wiki: Zombie, Skeleton, Spider). */

/**
 * @typedef {object} MonsterKind
 * @property {[number, number, number]} [blows] half hearts of a blow, from easy to hard
 * @property {boolean} [shoots] whether it has a bow instead
 * @property {number} notices how far it notices a player, in blocks
 * @property {number} [pace] how fast it goes, a zombie's being 1
 * @property {boolean} [climbs] whether it goes up walls, and leaps
 * @property {boolean} [burns] whether daylight sets it on fire
 * @property {boolean} [isTamedByLight] whether it leaves in peace by light who did not hurt it
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
