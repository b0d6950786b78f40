/** Time of the processor: what code is judged by, because a busy machine grants it late. */
import { wall } from '@voxpolis/clock'
import { LIMITS } from './limits.js'

/** How long this thread has worked, in ms of the processor. */
export function workedMs() {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** A program's end, and whether something of it still runs long after. */
export class Aftermath {
  at = Infinity
  worked = 0

  begin() {
    this.at = wall.now()
    this.worked = workedMs()
  }

  /** Whether it lasts, and not for want of the processor. */
  lingers() {
    const since = wall.now() - this.at
    if (!(since > LIMITS.GRACE_MS)) return false
    if (since > LIMITS.GRACE_MS * (1 + LIMITS.MORE_GRACES)) return true
    return workedMs() - this.worked > LIMITS.STOPPING_MS
  }
}
