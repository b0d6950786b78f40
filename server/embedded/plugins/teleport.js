/**
 * Teleports: a player goes where it is told to, stays there, and turns only when told to.
 *
 * As vanilla does, movements that the client sent before it heard of a teleport are ignored: each
 * teleport has a number that the client confirms. Upstream takes them, so that a teleport could be
 * undone by a packet under way; it ends a login by sending the player back to where it joined,
 * whenever the client first looks around; and it keeps angles as bytes but sends them as degrees.
 */

/** Packet flags: yaw and pitch are added to what the client has. */
const KEEP_ROTATION = 0x18

/** @param {number} degrees @returns {number} the angle as a signed byte, as entity packets have it */
const toByte = (degrees) => Math.floor(((((degrees % 360) + 540) % 360) / 360) * 256) - 128

/** @param {any} player */
export function player(player) {
  let isJoining = true
  let sent = 0
  let confirmed = 0

  const move = player.sendPosition
  player.sendPosition = (
    /** @type {any} */ position,
    /** @type {boolean} */ onGround,
    teleport = false
  ) => (teleport || confirmed === sent ? move(position, onGround, teleport) : Promise.resolve())

  /** @type {() => void} */
  let onFirstConfirmation = () => {}
  player._client.on('teleport_confirm', (/** @type {{teleportId: number}} */ { teleportId }) => {
    confirmed = Math.max(confirmed, Math.min(teleportId, sent))
    onFirstConfirmation()
  })

  // A login is over, and the chunks farther away are sent, when the client knows its place.
  // Upstream waits for it to look around or leave the ground, which a bot at rest never does.
  player.waitPlayerLogin = () =>
    new Promise((resolve) => {
      if (confirmed > 0) resolve(undefined)
      else onFirstConfirmation = () => resolve(undefined)
    })

  player.sendSelfPosition = (/** @type {any} */ position) => {
    const isEndOfLogin = isJoining && position && player.spawned
    if (isEndOfLogin) {
      isJoining = false
      return
    }
    if (position) player.position = position
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
    sent += 1
    player._client.write('position', { x, y, z, ...rotation, teleportId: sent })
  }
}
