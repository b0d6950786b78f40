/**
 * Runs something the agent called, so that its failure carries the place of the call.
 *
 * An error that arrives after waiting often has no trace back to the agent's line, and one from
 * outside is an object of the outside: the agent gets an error of its own with the same message.
 *
 * @template T
 * @param {() => Promise<T>} call
 * @returns {Promise<T>}
 */
export function withCallSite(call) {
  const site = new Error()
  return call().catch((error) => {
    const failure = new Error(error?.message ?? String(error))
    failure.stack = `${failure.message}\n${site.stack}`
    throw failure
  })
}
