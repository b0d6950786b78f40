/** The state of a world apart from its columns: converted to plain data, and restored from it. */
import { itemFrom } from '../minecraft/items.js'
import { Item, Vec3 } from '../minecraft/index.js'
import { stacksOf } from '../windows/store.js'
import { DAY_TICKS } from './time.js'

/** @import { Board, Server, Tag, WorldState } from '../types/index.d.ts' */

const MOST_OF_A_BYTE = 127

/**
 * Return an entity's summoning data without its passengers, which are saved separately.
 * @param {Tag} data @returns {Tag}
 */
function alone(data) {
  const { Passengers, ...value } = /** @type {Record<string, Tag>} */ (data.value)
  return Passengers ? { type: 'compound', value } : data
}

/**
 * Fill in fields that earlier servers did not save for animals.
 * @param {WorldState['animals'][number]} kept
 */
export const filledIn = (kept) => ({ adultTick: 0, isShorn: false, colour: 0, ...kept })

/** @param {Server} serv @returns {NonNullable<WorldState['weather']>} */
const weatherNow = ({ weather: { kind, left } }) => ({
  kind,
  left: Number.isFinite(left) ? left : null
})

/** @param {Server} serv @returns {WorldState} as it is now */
export function stateNow(serv) {
  for (const player of serv.players) serv.savePlayer(player)
  return {
    time: serv.time % DAY_TICKS,
    day: Math.floor(serv.time / DAY_TICKS),
    ticks: serv.tickCount,
    difficulty: serv.difficulty,
    weather: weatherNow(serv),
    forced: [...serv.forced],
    gamerules: serv.gamerules,
    worldSpawn: serv.worldSpawn.toArray(),
    spawnAngle: serv.spawnAngle,
    players: [...serv.savedPlayers],
    containers: serv.containersData(),
    drops: [...serv.drops.values()].map((drop) => ({
      item: Item.toNotch(drop.item),
      position: drop.position.toArray(),
      ageTicks: drop.ageTicks,
      pickupTicks: drop.pickupTicks
    })),
    animals: [...serv.animals.values()].map(
      ({ name, position, health, adultTick, isShorn, colour, yaw, tags, restUntil, data }) => ({
        name,
        position: position.toArray(),
        health,
        adultTick,
        isShorn,
        colour,
        yaw,
        tags: [...tags],
        restUntil,
        data: data && alone(data)
      })
    ),
    board: boardNow(serv),
    statistics: [...serv.statistics].map(([name, counts]) => [name, [...counts]]),
    herds: [...serv.herds],
    opened: [...serv.opened],
    peopled: [...serv.peopled],
    signs: [...serv.signs],
    blockData: [...serv.blockData],
    commandBlocks: [...serv.commandBlocks.values()].map(
      ({ position, command, isAlways, tracks }) => ({
        position: position.toArray(),
        command,
        isAlways,
        tracks
      })
    )
  }
}

/** @param {Server} serv @param {WorldState} state */
export function restoreState(serv, state) {
  Object.assign(serv, {
    time: state.day * DAY_TICKS + state.time,
    tickCount: state.ticks,
    difficulty: state.difficulty
  })
  Object.assign(serv.gamerules, state.gamerules)
  const { kind, left } = state.weather ?? { kind: 'clear', left: null }
  serv.setWeather(kind, left ?? undefined)
  serv.forced = new Set(state.forced)
  serv.worldSpawn = new Vec3(...state.worldSpawn)
  serv.spawnAngle = state.spawnAngle ?? 0
  serv.savedPlayers = new Map(state.players)
  serv.herds = new Set(state.herds)
  serv.opened = new Set(state.opened)
  serv.peopled = new Set(state.peopled)
  if (state.board) restoreBoard(serv, state.board)
  for (const [name, counts] of state.statistics ?? []) serv.statistics.set(name, new Map(counts))
  serv.restoreContainers(state.containers)
  serv.signs = new Map(state.signs)
  serv.blockData = new Map(state.blockData)
  for (const { position, ...block } of state.commandBlocks ?? []) {
    serv.setCommand(new Vec3(...position), block)
  }
  for (const { item, position, ageTicks, pickupTicks } of state.drops) {
    const lying = /** @type {Item} */ (itemFrom(item))
    // earlier servers dropped stacks larger than the maximum
    const isSendable = lying.count <= MOST_OF_A_BYTE
    for (const stack of isSendable ? [lying] : stacksOf(lying))
      Object.assign(
        serv.dropItem(stack, new Vec3(...position), { ageTicks }),
        pickupTicks === undefined ? {} : { pickupTicks }
      )
  }
  for (const kept of state.animals) {
    const { health, adultTick, isShorn, colour, yaw = 0, restUntil = 0 } = filledIn(kept)
    const animal = serv.spawnAnimal(kept.name, new Vec3(...kept.position))
    serv.label(animal, kept.data)
    Object.assign(animal, { health, adultTick, isShorn, colour, yaw, restUntil })
    if (kept.tags) animal.tags = new Set(kept.tags)
  }
}

// Scoreboards, teams, boss bars and storage as plain data, saved with a world.

/** @param {Server} serv @returns {Board} as it is now */
const boardNow = (serv) => ({
  objectives: [...serv.objectives].map(([name, { scores, enabled, looks, ...rest }]) => ({
    ...rest,
    name,
    scores: [...scores],
    enabled: [...enabled],
    looks: [...looks]
  })),
  displays: [...serv.displays],
  teams: [...serv.teams.values()].map((team) => ({ ...team, members: [...team.members] })),
  bossbars: [...serv.bossbars.values()].map((bar) => ({ ...bar, players: [...bar.players] })),
  storage: [...serv.storage]
})

/**
 * Replace the current scoreboards, teams, boss bars and storage.
 * @param {Server} serv @param {Board} board
 */
export function restoreBoard(serv, { objectives, displays, teams, bossbars, storage }) {
  for (const kept of ['objectives', 'displays', 'teams', 'bossbars', 'storage'])
    serv[/** @type {'teams'} */ (kept)].clear()
  for (const { name, scores, enabled, looks, ...rest } of objectives) {
    const maps = { scores: new Map(scores), enabled: new Set(enabled), looks: new Map(looks) }
    serv.objectives.set(name, { ...rest, ...maps })
  }
  for (const [slot, name] of displays) {
    if (serv.objectives.has(name)) serv.displays.set(slot, name)
  }
  for (const team of teams) serv.teams.set(team.name, { ...team, members: new Set(team.members) })
  for (const bar of bossbars) serv.bossbars.set(bar.id, { ...bar, players: new Set(bar.players) })
  for (const [name, tag] of storage) serv.storage.set(name, tag)
}
