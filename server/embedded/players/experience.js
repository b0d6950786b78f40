/**
 * Experience: points and levels, by vanilla's formulas (minecraft.wiki: Experience). As in vanilla,
 * a client first receives the changes of a window, then the experience that they cost.
 */

/** @import { Player, Server } from '../types/index.d.ts' */

const MOST = 2 ** 31 - 1

/** @param {number} level @returns {number} points from this level to the next */
export function pointsOf(level) {
  if (level >= 30) return 112 + (level - 30) * 9
  return level >= 15 ? 37 + (level - 15) * 5 : 7 + level * 2
}

/**
 * A sound plays every few levels, at full volume from a certain level on, and with a minimum
 * interval.
 */
const HEARD = { levels: 5, loud: 30, volume: 0.75, ticks: 100 }

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  let heardTick = -HEARD.ticks
  /** Called after each level gained. */
  const ring = () => {
    if (player.level % HEARD.levels !== 0 || serv.tickCount - heardTick < HEARD.ticks) return
    heardTick = serv.tickCount
    const volume = HEARD.volume * Math.min(1, player.level / HEARD.loud)
    serv.playSound('entity.player.levelup', player.position, { volume, category: 'player' })
  }
  Object.assign(player, { level: 0, points: 0, totalPoints: 0 })

  player.sendExperience = () =>
    player._client.write('experience', {
      experienceBar: player.points / pointsOf(player.level),
      level: player.level,
      totalExperience: player.totalPoints
    })

  let isDue = false
  player.sendChangedExperience = () => {
    if (isDue) player.sendExperience()
    isDue = false
  }

  player.addExperience = (amount) => {
    player.totalPoints = Math.min(MOST, Math.max(0, player.totalPoints + amount))
    player.points += amount
    while (player.points < 0 && player.level > 0) {
      player.level -= 1
      player.points += pointsOf(player.level)
    }
    while (player.points >= pointsOf(player.level)) {
      player.points -= pointsOf(player.level)
      player.level += 1
      ring()
    }
    player.points = Math.max(0, player.points)
    isDue = true
  }

  player.addLevels = (amount) => {
    const share = player.points / pointsOf(player.level)
    player.level = Math.min(MOST, player.level + amount)
    if (player.level < 0) Object.assign(player, { level: 0, points: 0, totalPoints: 0 })
    else player.points = Math.floor(share * pointsOf(player.level))
    if (amount > 0) ring()
    isDue = true
  }

  player.setPoints = (amount) => {
    if (amount >= pointsOf(player.level)) return false
    player.points = amount
    isDue = true
    return true
  }
}
