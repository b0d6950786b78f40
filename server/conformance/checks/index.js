/** Everything that scenarios rely on, as checks. The standard is vanilla's behaviour. */
import { checks as basics } from './basics.js'
import { checks as blocks } from './blocks.js'
import { checks as bodies } from './bodies.js'
import { checks as brewing } from './brewing.js'
import { checks as dangers } from './dangers.js'
import { checks as farm } from './farm.js'
import { checks as house } from './house.js'
import { checks as items } from './items.js'
import { checks as life } from './life.js'
import { checks as light } from './light.js'
import { checks as monsters } from './monsters.js'
import { checks as moves } from './moves.js'
import { checks as nether } from './nether.js'
import { checks as pets } from './pets.js'
import { checks as shots } from './shots.js'
import { checks as uses } from './uses.js'
import { checks as vitals } from './vitals.js'
import { checks as words } from './words.js'
import { checks as workshops } from './workshops.js'

/** @typedef {[group: string, name: string, run: (stage: import('../stage.js').Stage) => Promise<void>]} Check */

/** @type {Check[]} */
export const CHECKS = [
  ...basics,
  ...words,
  ...blocks,
  ...items,
  ...house,
  ...farm,
  ...life,
  ...light,
  ...monsters,
  ...bodies,
  ...workshops,
  ...moves,
  ...shots,
  ...dangers,
  ...uses,
  ...vitals,
  ...nether,
  ...pets,
  ...brewing
]
