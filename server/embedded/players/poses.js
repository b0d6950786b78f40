/** Poses that other players see: sneaking, sprinting and arm swings. */

import { levelOfEffect } from '../health/effects.js'

/** @import { Player } from '../types/index.d.ts' */

const FLAGS_KEY = 0
const FLAG = {
  burning: 0x01,
  sneaking: 0x02,
  sprinting: 0x08,
  invisible: 0x20,
  glowing: 0x40,
  gliding: 0x80
}
const POSE_KEY = 6
const POSE = { standing: 0, gliding: 1, sleeping: 2, sneaking: 5 }
const BED_KEY = 14

/** @param {Player} player */
export function player(player) {
  player.crouching = false
  player.sprinting = false

  player._client.on('entity_action', ({ actionId }) => {
    if (/^(start|stop)_sneaking$/.test(actionId)) {
      player.crouching = actionId === 'start_sneaking'
    } else if (/^(start|stop)_sprinting$/.test(actionId)) {
      player.sprinting = actionId === 'start_sprinting'
    } else return
    for (const [name, fields] of player.poses()) player._writeOthersNearby(name, fields)
  })

  player._client.on('arm_animation', () =>
    player._writeOthersNearby('animation', { entityId: player.id, animation: 0 })
  )

  /** As packets. */
  player.poses = () => {
    const flags =
      (player.crouching ? FLAG.sneaking : 0) |
      (player.sprinting ? FLAG.sprinting : 0) |
      (player.isGliding ? FLAG.gliding : 0) |
      (levelOfEffect(player, 'Invisibility') ? FLAG.invisible : 0) |
      (levelOfEffect(player, 'Glowing') ? FLAG.glowing : 0) |
      (player.burnTicks > 0 ? FLAG.burning : 0)
    const upright = player.crouching ? POSE.sneaking : POSE.standing
    const awake = player.isGliding ? POSE.gliding : upright
    const pose = player.bed ? POSE.sleeping : awake
    const metadata = [
      { key: FLAGS_KEY, type: 'byte', value: (flags << 24) >> 24 },
      { key: POSE_KEY, type: 'pose', value: pose },
      { key: BED_KEY, type: 'optional_block_pos', value: player.bed ?? undefined }
    ]
    return [['entity_metadata', { entityId: player.id, metadata }]]
  }
}
