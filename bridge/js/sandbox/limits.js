/** What an agent's engine may use, and how its thread and the body speak of it. */

/** Places in the memory that both share. */
export const FLAGS = {
  /** 0: go on; 1: told to stop; 2: its time to do so is over. */
  STOP: 0,
  /** How many answers the body has given. */
  REPLIES: 1,
  /** Events that are on their way. */
  EVENTS: 2
}

export const LIMITS = {
  MEMORY_BYTES: 64 * 2 ** 20,
  STACK_BYTES: 512 * 1024,
  /** Characters of one call's data. */
  TEXT: 200_000,
  /** Calls that one may wait for at once. */
  CALLS: 100,
  EVENTS: 100,
  TIMERS: 200,
  DELAY_MS: 3_600_000,
  LINES: 200,
  LINE: 500,
  MESSAGE: 2000,
  /** Jobs between two looks at whether to stop. */
  JOBS: 100,
  /** How long code may take to stop after it was told to. */
  GRACE_MS: 1000,
  /** Time of the processor in which code that gives way has stopped; a busy machine grants it late. */
  STOPPING_MS: 250,
  /** How often code that had less than that of its grace gets it again. */
  MORE_GRACES: 9,
  /** How long after that its thread is ended. */
  LAST_MS: 250,
  /** How often a wait looks whether to stop. */
  LOOK_MS: 100
}
