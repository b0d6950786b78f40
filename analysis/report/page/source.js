/** Where the page gets a run from: packed into the page itself, or from the server that follows it. */

/** @typedef {import('./model.js').Head} Head */
/** @typedef {{texts: string[], details: any[]}} Body a batch's lines, and whole events or null */
/** @typedef {{messages: {role: string, content: string}[], answer: string | null, error: string | null}} Call */
/**
 * @typedef {object} Listener
 * @property {(summary: any) => void} summary the configuration, the result, what cannot be read
 * @property {(head: Head) => void} head
 * @property {(calls: Record<string, any[]>) => void} calls one column an entry
 * @property {(questions: import('./seat.js').Question[]) => void} asked what persons are asked now
 * @property {(state: string) => void} state what the source is doing, in words
 * @property {() => void} newer a newer run began, and the page stays with this one
 * @property {() => void} ended all was told of a run that is over
 */
/**
 * @typedef {object} Source
 * @property {(listener: Listener) => Promise<void>} tell resolves when all that there is was told
 * @property {(batch: number) => Promise<Body>} body
 * @property {(call: number) => Promise<Call>} call
 */

/** How many unpacked parts are kept. */
const KEPT = 40

/** A run that is packed into the page. @implements {Source} */
export class Packed {
  /** @type {Map<string, Promise<any>>} */
  #unpacked = new Map()

  /** @param {Listener} listener */
  async tell(listener) {
    const summary = await this.#unpack('summary')
    listener.summary(summary)
    for (let batch = 0; batch < summary.batches; batch++) {
      listener.state(`unpacking ${Math.round((100 * batch) / summary.batches)} %`)
      listener.head(await unpack(`head-${batch}`))
    }
    listener.calls(await this.#unpack('calls'))
    listener.state('')
  }

  /** @param {number} batch @returns {Promise<Body>} */
  body(batch) {
    return this.#unpack(`body-${batch}`)
  }

  /** @param {number} number @returns {Promise<Call>} */
  async call(number) {
    const { packs } = await this.#unpack('summary')
    const pack = await this.#unpack(`call-${Math.floor(number / packs.calls)}`)
    const call = pack[number % packs.calls]
    const messages = call.messages.map(async (/** @type {any} */ m) => {
      if (typeof m !== 'number') return m
      const stored = await this.#unpack(`message-${Math.floor(m / packs.messages)}`)
      return stored[m % packs.messages]
    })
    return { ...call, messages: await Promise.all(messages) }
  }

  /** Unpacks a part, or takes what was unpacked lately. @param {string} name */
  #unpack(name) {
    const kept = this.#unpacked.get(name) ?? unpack(name)
    this.#unpacked.delete(name)
    this.#unpacked.set(name, kept)
    const [oldest] = this.#unpacked.keys()
    if (this.#unpacked.size > KEPT) this.#unpacked.delete(oldest)
    return kept
  }
}

/** Reads one packed part of the page: JSON, gzipped, in base64. @param {string} name */
async function unpack(name) {
  const text = document.getElementById(name)?.textContent
  if (!text) throw new Error(`the page lacks its part ${name}`)
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Response(stream).json()
}

/** A run that is followed: the server tells it from the beginning, and then what is new. @implements {Source} */
export class Live {
  /** @type {Body[]} */
  #bodies = []
  /** Of which run it was told, and the path of that run's own page. */ #run = ''
  #at = ''
  /** Whether something is left out until the run is over. */ #isPartial = false

  /** @param {() => boolean} isInUse whether the user plays, types or looks at a moment here */
  constructor(isInUse) {
    this.isInUse = isInUse
  }

  /** @param {Listener} listener @returns {Promise<void>} */
  tell(listener) {
    const stream = new EventSource('events')
    const on = (/** @type {string} */ kind, /** @type {(data: any) => void} */ take) =>
      stream.addEventListener(kind, (event) => take(JSON.parse(/** @type {any} */ (event).data)))
    stream.onerror = () => listener.state('the connection is lost; trying again')
    return new Promise((resolve) => {
      /** A newer run began: the page's address becomes its own run's while a user is busy with that. */
      const stays = () => {
        const isInUse = this.isInUse()
        history.replaceState(null, '', isInUse ? this.#at + location.hash : location.pathname)
        return isInUse
      }
      on('begin', ({ run, at }) => {
        if (this.#run && run !== this.#run) stays()
        if (this.#run) return location.reload() // the connection was lost: all is told anew
        this.#run = run
        this.#at = at
        listener.state('live')
      })
      on('newer', () => (stays() ? listener.newer() : location.reload()))
      on('state', (text) => listener.state(text))
      on('summary', (summary) => {
        this.#isPartial ||= summary.hides_minds
        listener.summary(summary)
      })
      on('calls', (calls) => listener.calls(calls))
      on('asked', (questions) => listener.asked(questions))
      on('batch', ({ texts, details, ...head }) => {
        this.#bodies.push({ texts, details })
        listener.head(head)
      })
      on('caught_up', () => resolve())
      on('ended', ({ stays, state }) => {
        if (this.#isPartial) return location.reload() // now all of it is told
        if (!stays) stream.close() // else a newer run may begin
        listener.state(state)
        listener.ended()
      })
    })
  }

  /** @param {number} batch @returns {Promise<Body>} */
  async body(batch) {
    return this.#bodies[batch]
  }

  /** @param {number} number @returns {Promise<Call>} */
  async call(number) {
    const answer = await fetch(`${this.#at}call/${number}`)
    if (!answer.ok) throw new Error(`call ${number}: ${answer.status}`)
    return answer.json()
  }

  /** Do something to the run. @param {string} deed @param {Record<string, string>} fields
   * @returns {Promise<string>} why it was refused; empty: it is done */
  async act(deed, fields) {
    const token = document.documentElement.dataset.token ?? ''
    const headers = { 'Content-Type': 'application/json', 'X-Voxpolis-Token': token }
    try {
      const done = await fetch(this.#at + deed, {
        method: 'POST',
        headers,
        body: JSON.stringify(fields)
      })
      return done.ok ? '' : (await done.text()) || `refused: ${done.status}`
    } catch (error) {
      return `it could not be sent: ${error}`
    }
  }
}
