/** Limits on an agent's engine, and the memory that its thread shares with the body. */

/** Offsets in the shared memory. */
export const FLAGS = {
  /** 0: run; 1: told to stop; 2: the grace period is over. */
  STOP: 0,
  /** Number of answers from the body. */
  REPLIES: 1,
  /** Number of pending events. */
  EVENTS: 2
}

export const LIMITS = {
  MEMORY_BYTES: 64 * 2 ** 20,
  STACK_BYTES: 512 * 1024,
  /** Maximum number of characters in one call's data. */
  TEXT: 200_000,
  /** Maximum number of pending calls. */
  CALLS: 100,
  EVENTS: 100,
  TIMERS: 200,
  DELAY_MS: 3_600_000,
  LINES: 200,
  LINE: 500,
  MESSAGE: 2000,
  /** Number of jobs between two checks of the stop flag. */
  JOBS: 100,
  /** Grace period for code that was told to stop. */
  GRACE_MS: 1000,
  /**
   * CPU time that a yielding program gets before it must have stopped; a busy machine grants it
   * late.
   */
  STOPPING_MS: 250,
  /** Number of further grace periods for a program that has had less CPU time than that. */
  MORE_GRACES: 9,
  /** Delay between the last grace period and the end of the thread. */
  LAST_MS: 250,
  /** Interval between checks of the stop flag while waiting. */
  LOOK_MS: 100
}
