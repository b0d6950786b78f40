/** Poses: sneaking, sprinting and swinging an arm, as others see them. */

const ACTION = { SNEAK: 0, STAND: 1, SPRINT: 3, WALK: 4 }
const FLAGS_KEY = 0
const FLAG = { sneaking: 0x02, sprinting: 0x08 }
const POSE_KEY = 6
const POSE = { standing: 0, sneaking: 5 }

/** @param {any} player */
export function player(player) {
  player.crouching = false
  player.sprinting = false

  player._client.on('entity_action', (/** @type {{actionId: number}} */ { actionId }) => {
    if (actionId === ACTION.SNEAK || actionId === ACTION.STAND) {
      player.crouching = actionId === ACTION.SNEAK
    } else if (actionId === ACTION.SPRINT || actionId === ACTION.WALK) {
      player.sprinting = actionId === ACTION.SPRINT
    } else return
    for (const [name, fields] of player.poses()) player._writeOthersNearby(name, fields)
  })

  player._client.on('arm_animation', () =>
    player._writeOthersNearby('animation', { entityId: player.id, animation: 0 })
  )

  /** As packets. */
  player.poses = () => {
    const flags = (player.crouching ? FLAG.sneaking : 0) | (player.sprinting ? FLAG.sprinting : 0)
    const pose = player.crouching ? POSE.sneaking : POSE.standing
    const metadata = [
      { key: FLAGS_KEY, type: 'byte', value: flags },
      { key: POSE_KEY, type: 'pose', value: pose }
    ]
    return [['entity_metadata', { entityId: player.id, metadata }]]
  }
}
