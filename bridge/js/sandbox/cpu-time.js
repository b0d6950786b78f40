/**
 * CPU time. Code is limited by it and not by elapsed time, because a busy machine may grant it
 * late.
 */
import { wall } from '@voxpolis/clock'
import { LIMITS } from './limits.js'

/** Return the CPU time of this thread in ms. */
export function workedMs() {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Watch for code that still runs long after its program's end. */
export class Aftermath {
  at = Infinity
  worked = 0

  begin() {
    this.at = wall.now()
    this.worked = workedMs()
  }

  /** Return true if code still runs although it had enough CPU time to end. */
  isStillRunning() {
    const since = wall.now() - this.at
    if (!(since > LIMITS.GRACE_MS)) return false
    if (since > LIMITS.GRACE_MS * (1 + LIMITS.MORE_GRACES)) return true
    return workedMs() - this.worked > LIMITS.STOPPING_MS
  }
}
