/** Promises that are abandoned when the run ends. */

/**
 * @template T
 * @param {AbortSignal} signal
 * @param {Promise<T>} promise
 * @param {() => void} [cancel] stops the work behind the promise
 * @returns {Promise<T>}
 */
export async function untilStopped(signal, promise, cancel = () => {}) {
  /** @type {() => void} */
  let onAbort = () => {}
  const stopped = new Promise((_resolve, reject) => {
    onAbort = () => {
      cancel()
      reject(new Error('the run is over'))
    }
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
  promise.catch(() => {})
  try {
    return await /** @type {Promise<T>} */ (Promise.race([promise, stopped]))
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** @param {AbortSignal} signal @param {number} ms @returns {Promise<void>} */
export function pause(signal, ms) {
  /** @type {NodeJS.Timeout} */
  let timer
  const rest = new Promise((resolve) => (timer = setTimeout(resolve, ms)))
  return untilStopped(signal, /** @type {Promise<void>} */ (rest), () => clearTimeout(timer))
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {number} ms
 * @param {string} what named in the error
 * @returns {Promise<T>}
 */
export async function within(promise, ms, what) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms / 1000} s`)), ms)
  })
  try {
    return await /** @type {Promise<T>} */ (Promise.race([promise, late]))
  } finally {
    clearTimeout(timer)
  }
}
