/**
 * Maximum length of a program. The main thread reads this file, so it must not import packages;
 * bodies and engines, which do, run in other threads.
 */

/** Also the maximum length of a skill; must equal the limit in `bridge/bridge.py`. */
export const MAX_CHARACTERS = 200_000

/**
 * Truncate an overlong program for the record, to one character above the limit.
 * @param {string} code
 */
export const sentOf = (code) => code.slice(0, MAX_CHARACTERS + 1).toWellFormed()
