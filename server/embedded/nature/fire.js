/**
 * Fire: it ages, spreads, burns flammable blocks, and goes out without fuel.
 *
 * Rules and chances are vanilla's (minecraft.wiki: Fire), without rain and wet biomes, which this
 * server does not have. Each fire acts every 30 to 39 ticks while the game rule `doFireTick` is on
 * and a player is near.
 */
import { Block, registry } from '../minecraft/index.js'
import { blockAt, FACES, key, propertiesOf, stateAt, stateLike } from '../blocks/blocks.js'
import { blocksIn } from '../blocks/scan.js'

/** @import { Server, Vec3 } from '../types/index.d.ts' */

const [BELOW, ABOVE] = FACES
const TURN_TICKS = { least: 30, more: 10 }
/** Maximum number of fires that act per tick; the others wait. */
const TURNS_PER_TICK = 200
const CHANGES_PER_TICK = 5000
/** A fire pauses while all players are farther away than this. */
const AWAKE_BLOCKS = 128
const OLDEST = 15
/** Blocks on which fire burns forever. */
const ETERNAL = /^(netherrack|magma_block)$/
const SOUL = /^soul_(sand|soil)$/
/**
 * Divisors of the chance that a fire burns the block on a side, relative to that block's
 * flammability.
 */
const EATS = { upright: 250, sideways: 300 }
/** Range of spreading: sideways, and from one block below to four above. */
const REACH = { across: 1, down: 1, up: 4 }
/** Neighbours of a fire, by name of the state's property. */
const FLAMES = { up: ABOVE, north: FACES[2], south: FACES[3], west: FACES[4], east: FACES[5] }
const FIRE = registry.blocksByName.fire
/** @param {number} state */
const isFire = (state) => state >= FIRE.minStateId && state <= FIRE.maxStateId

/** @param {Server} serv */
export function server(serv) {
  const fires = new Fires(serv)

  serv.on('blockChanged', (position, before, after) => {
    if (isFire(after) && !isFire(before)) fires.begin(position)
    fires.changed.push(position)
  })
  serv.on('columnRestored', (chunkX, chunkZ) => {
    for (const { position } of blocksIn(serv, chunkX, chunkZ, (name) => name === 'fire'))
      fires.begin(position)
  })
  serv.on('tick', () => fires.tick())

  serv.lightFire = (position) => {
    const state = fires.stateFor(position, 0)
    if (state === null) return false
    serv.setBlock(position, state)
    return true
  }

  serv.once('asap', () => {
    for (const name of ['flint_and_steel', 'fire_charge']) {
      serv.onUseItem(name, (player, position, { direction }) => {
        const target = position.plus(FACES[direction])
        const isTnt = blockAt(serv, position).name === 'tnt'
        if (isTnt) {
          serv.setBlock(position, 0)
          serv.ignite(position.offset(0.5, 0, 0.5))
        } else if (blockAt(serv, target)?.name !== 'air' || !serv.lightFire(target)) return false
        if (name === 'fire_charge') player.useUpHeld()
        else player.wearTool(1)
        return true
      })
    }
  })
}

/** All fires in a world, and their rules. */
export class Fires {
  /** @param {Server} serv */
  constructor(serv) {
    this.serv = serv
    this.random = serv.randomSequence('minecraft:fire')
    /** Fires by the tick at which they act next. @type {Map<number, Vec3[]>} */
    this.turns = new Map()
    /** Positions with a fire. @type {Set<string>} */
    this.known = new Set()
    /** Fires that could not act yet. @type {Vec3[]} */
    this.waiting = []
    /** Blocks that changed since the last tick. @type {Vec3[]} */
    this.changed = []
  }

  /** @param {number} most @returns {number} a random whole number below it */
  draw(most) {
    return Math.floor(this.random() * most)
  }

  /** @param {Vec3} position */
  state(position) {
    return stateAt(this.serv.overworld, position)
  }

  /** @param {Vec3} position of a new fire */
  begin(position) {
    if (this.known.has(key(position))) return
    this.known.add(key(position))
    this.wait(position)
  }

  /** @param {Vec3} position of a fire that acts later */
  wait(position) {
    const tick = this.serv.tickCount + TURN_TICKS.least + this.draw(TURN_TICKS.more)
    const there = this.turns.get(tick)
    if (there) there.push(position.clone())
    else this.turns.set(tick, [position.clone()])
  }

  tick() {
    const changed = this.known.size ? this.changed.slice(0, CHANGES_PER_TICK) : this.changed
    this.changed = this.changed.slice(changed.length)
    if (this.known.size) for (const position of changed) this.settle(position)
    const due = [...this.waiting, ...(this.turns.get(this.serv.tickCount) ?? [])]
    this.turns.delete(this.serv.tickCount)
    this.waiting = due.splice(TURNS_PER_TICK)
    for (const position of due) {
      if (!isFire(this.state(position))) {
        this.known.delete(key(position))
        continue
      }
      this.wait(position)
      if (this.serv.gamerules.doFireTick && this.isNear(position)) this.burn(position)
    }
  }

  /** @param {Vec3} position */
  isNear(position) {
    return this.serv.players.some((player) => player.position.distanceTo(position) <= AWAKE_BLOCKS)
  }

  /**
   * Update a fire next to a changed block: it goes out, or its flames move to other faces.
   * @param {Vec3} changed
   */
  settle(changed) {
    for (const face of FACES) {
      const position = changed.plus(face)
      const state = this.state(position)
      if (!isFire(state)) continue
      const now = this.stateFor(position, Number(propertiesOf(state).age)) ?? 0
      if (now !== state) this.serv.setBlock(position, now)
    }
  }

  /**
   * Return the state of a fire at a position.
   * @param {Vec3} position @param {number} age @returns {number | null} null if none can burn there
   */
  stateFor(position, age) {
    const below = this.state(position.plus(BELOW))
    if (SOUL.test(registry.blocksByStateId[below].name))
      return registry.blocksByName.soul_fire.defaultState
    const isCarried = hasWholeTop(below) || oddsOf(below).catches > 0
    if (!isCarried && !this.isFed(position)) return null
    const flames = Object.entries(FLAMES).map(([name, face]) => {
      const burns = !isCarried && oddsOf(this.state(position.plus(face))).catches > 0
      return [name, String(burns)]
    })
    return stateLike(FIRE, { ...Object.fromEntries(flames), age: String(age) })
  }

  /** Return true if a flammable block is next to a position. @param {Vec3} position */
  isFed(position) {
    return FACES.some((face) => oddsOf(this.state(position.plus(face))).catches > 0)
  }

  /** A fire's turn. @param {Vec3} position */
  burn(position) {
    const { serv } = this
    const state = this.state(position)
    const before = Number(propertiesOf(state).age)
    const below = this.state(position.plus(BELOW))
    const isEternal = ETERNAL.test(registry.blocksByStateId[below].name)
    const age = Math.min(OLDEST, before + Math.floor(this.draw(3) / 2))
    if (age !== before) serv.changeBlock(position, { age: String(age) })
    if (!isEternal && !this.isFed(position)) {
      if (!hasWholeTop(below) || before > 3) serv.setBlock(position, 0)
      return
    }
    const isSpent = before === OLDEST && this.draw(4) === 0 && oddsOf(below).catches === 0
    if (!isEternal && isSpent) return serv.setBlock(position, 0)
    for (const face of FACES) {
      this.eat(position.plus(face), face.y ? EATS.upright : EATS.sideways, before)
    }
    this.spread(position, before)
  }

  /**
   * Burn a flammable block: it disappears, or becomes fire.
   * @param {Vec3} position @param {number} chance one in this number
   * @param {number} age of the fire
   */
  eat(position, chance, age) {
    const state = this.state(position)
    const { goes } = oddsOf(state)
    if (!goes || this.draw(chance) >= goes) return
    const burnsOn = this.draw(age + 10) < 5
    this.serv.setBlock(position, burnsOn ? this.grown(position, age) : 0)
    const isTnt = registry.blocksByStateId[state].name === 'tnt'
    if (isTnt) this.serv.ignite(position.offset(0.5, 0, 0.5))
  }

  /**
   * Return the age of a fire that spread from another fire.
   * @param {Vec3} position @param {number} age of the other fire @returns {number}
   */
  grown(position, age) {
    const older = Math.min(OLDEST, age + Math.floor(this.draw(5) / 4))
    return this.stateFor(position, older) ?? stateLike(FIRE, { age: String(older) })
  }

  /** @param {Vec3} position @param {number} age */
  spread(position, age) {
    const { across, down, up } = REACH
    for (let dx = -across; dx <= across; dx++) {
      for (let dz = -across; dz <= across; dz++) {
        for (let dy = -down; dy <= up; dy++) {
          if (dx || dy || dz) this.light(position.offset(dx, dy, dz), age, dy)
        }
      }
    }
  }

  /**
   * Return true if a fire spreads to a position.
   * @param {Vec3} place @param {number} age @param {number} up height above the fire
   */
  light(place, age, up) {
    if (this.state(place) !== 0) return
    const catches = Math.max(...FACES.map((face) => oddsOf(this.state(place.plus(face))).catches))
    if (!catches) return
    const odds = Math.floor((catches + 40 + this.serv.difficulty * 7) / (age + 30))
    const rarity = up > 1 ? 100 * up : 100
    if (odds > 0 && this.draw(rarity) <= odds) this.serv.setBlock(place, this.grown(place, age))
  }
}

/** @type {Map<number, boolean>} */
const whole = new Map()

/**
 * Return true if a block's upper face is complete, so that fire can burn on top of it.
 * @param {number} state
 */
function hasWholeTop(state) {
  const known = whole.get(state)
  if (known !== undefined) return known
  const { shapes } = Block.fromStateId(state, 0)
  const isLeaf = registry.blocksByStateId[state].name.endsWith('_leaves')
  const isWhole = shapes.some(
    ([x, , z, x2, y2, z2]) => !x && !z && x2 === 1 && y2 === 1 && z2 === 1
  )
  whole.set(state, isWhole && !isLeaf)
  return isWhole && !isLeaf
}

// How easily blocks catch fire, and how fast they burn away (minecraft.wiki: Fire, "Burnable
// blocks").

/** @typedef {{catches: number, goes: number}} Odds */

const WOOD = '(oak|spruce|birch|jungle|acacia|cherry|dark_oak|mangrove|bamboo|bamboo_mosaic)'
/** The first matching pattern counts. @type {[names: RegExp, catches: number, goes: number][]} */
const KINDS = [
  [new RegExp(`^${WOOD}_(planks|mosaic|slab|stairs|fence|fence_gate)$`), 5, 20],
  [new RegExp(`^(stripped_)?${WOOD}_(log|wood|block)$`), 5, 5],
  [/^mangrove_roots$/, 5, 20],
  [/_leaves$/, 30, 60],
  [/^(bookshelf|chiseled_bookshelf|bee_nest|lectern)$/, 30, 20],
  [/^tnt$/, 15, 100],
  [/^(short_grass|fern|dead_bush|sunflower|lilac|rose_bush|peony|tall_grass|large_fern)$/, 60, 100],
  [/^(dandelion|poppy|blue_orchid|allium|azure_bluet|oxeye_daisy|cornflower)$/, 60, 100],
  [/_tulip$|^(lily_of_the_valley|torchflower|pitcher_plant|wither_rose|pink_petals)$/, 60, 100],
  [/^(sweet_berry_bush|spore_blossom|big_dripleaf|small_dripleaf)$/, 60, 100],
  [/_wool$/, 30, 60],
  [/_carpet$|^hay_block$/, 60, 20],
  [/^(vine|glow_lichen)$/, 15, 100],
  [/^coal_block$/, 5, 5],
  [/^target$/, 15, 20],
  [/^(dried_kelp_block|azalea|flowering_azalea|hanging_roots)$/, 30, 60],
  [/^(bamboo|scaffolding)$/, 60, 60],
  [/^(composter|beehive)$/, 5, 20],
  [/^(cave_vines|cave_vines_plant)$/, 15, 60]
]
/** Odds of blocks that do not burn. */
const NONE = { catches: 0, goes: 0 }

/** By block id. @type {Record<number, Odds>} */
const ODDS = Object.fromEntries(
  registry.blocksArray.flatMap(({ id, name }) => {
    const kind = KINDS.find(([names]) => names.test(name))
    return kind && name !== 'moss_carpet' ? [[id, { catches: kind[1], goes: kind[2] }]] : []
  })
)

/** @param {number} state @returns {Odds} zero if waterlogged */
function oddsOf(state) {
  const odds = ODDS[registry.blocksByStateId[state].id]
  return odds && propertiesOf(state).waterlogged !== 'true' ? odds : NONE
}
