/**
 * How long a program may be. The main thread asks this, too, which reads no packages: agents' bodies
 * and engines, which do, live in threads of their own.
 */

/** Also of a skill; Python's side has the same figure (`bridge/bridge.py`). */
export const MAX_CHARACTERS = 200_000

/** As much of a program as is recorded: enough to be refused for its length. @param {string} code */
export const sentOf = (code) => code.slice(0, MAX_CHARACTERS + 1).toWellFormed()
