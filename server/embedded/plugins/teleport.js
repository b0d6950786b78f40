/**
 * Teleports: a player goes where it is told to, stays there, and turns only when told to.
 *
 * Upstream keeps angles as bytes and sends them back as degrees, so that each teleport turns the
 * player to somewhere else. And it ends a login by sending the player back to where it joined,
 * whenever the client's first movement comes, which undoes a teleport in between.
 */

/** Packet flags: yaw and pitch are added to what the client has. */
const KEEP_ROTATION = 0x18

/** @param {number} degrees @returns {number} the angle as a signed byte, as entity packets have it */
const toByte = (degrees) => Math.floor(((((degrees % 360) + 540) % 360) / 360) * 256) - 128

/** @param {any} player */
export function player(player) {
  let joining = true

  player.sendSelfPosition = (/** @type {any} */ position) => {
    const isEndOfLogin = joining && position && player.spawned
    if (isEndOfLogin) joining = false
    else if (position) player.position = position
    sendPosition({ yaw: 0, pitch: 0, flags: KEEP_ROTATION })
  }

  player.once('spawned', () => {
    player.spawned = true
  })

  /** @param {number} yaw degrees @param {number} pitch degrees */
  player.turn = (yaw, pitch) => {
    player.yaw = toByte(yaw)
    player.pitch = toByte(pitch)
    sendPosition({ yaw, pitch, flags: 0 })
  }

  /** @param {{yaw: number, pitch: number, flags: number}} rotation */
  function sendPosition(rotation) {
    const { x, y, z } = player.position
    player._client.write('position', { x, y, z, ...rotation, teleportId: 1 })
  }
}
