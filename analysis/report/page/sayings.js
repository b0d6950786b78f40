/** Recent utterances, for speech bubbles. */

/** Time for which a bubble is shown, in simulated seconds. */
const SAID_S = 4
const MOST_BUBBLES = 10
/** Maximum number of bubbles if there are many agents, so that the map stays visible. */
const MOST_BUBBLES_OF_MANY = 3
export const MANY = 100
const TALK = ['chat', 'spoke', 'negotiation_message', 'signal']

/**
 * Return the last utterances of some agents whose texts are unpacked.
 * @param {import('./model.js').Model} model @param {number} t @param {Set<number>} there
 * @param {number} selected only this agent; -1: all @returns {Promise<import('./model.js').Told[]>}
 */
export function sayings(model, t, there, selected) {
  const { rows, kinds } = model
  const wanted = kinds.map(({ name }) => TALK.includes(name))
  const begun = kinds.findIndex(({ name }) => name === 'episode_started')
  /** Agent → row. @type {Map<number, number>} */
  const said = new Map()
  for (let row = model.rowsUntil(t) - 1; row >= 0 && rows.t.at(row) > t - SAID_S; row--) {
    if (rows.kind.at(row) === begun) break // before it, other people spoke
    const agent = rows.agent.at(row)
    if (selected >= 0 && agent !== selected) continue
    if (wanted[rows.kind.at(row)] && there.has(agent) && !said.has(agent)) said.set(agent, row)
    if (said.size >= (there.size > MANY ? MOST_BUBBLES_OF_MANY : MOST_BUBBLES)) break
  }
  return Promise.all([...said.values()].map((row) => model.told(row)))
}
