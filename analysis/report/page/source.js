/** The page's data sources: data packed into the page itself, or a server that follows the run. */

/** @typedef {import('./model.js').Head} Head */
/** @typedef {{texts: string[], details: any[]}} Body a batch's lines, and whole events or null */
/** @typedef {{messages: {role: string, content: string}[], answer: string | null, error: string | null}} Call */
/**
 * @typedef {object} Listener
 * @property {(summary: any) => void} summary configuration, result, unreadable parts
 * @property {(head: Head) => void} head
 * @property {(calls: Record<string, any[]>) => void} calls one column per entry
 * @property {(questions: import('./seat.js').Question[]) => void} asked current questions to
 * persons
 * @property {(state: string) => void} state the source's activity, in words
 * @property {() => void} newer a newer run began, and the page stays with this one
 * @property {() => void} ended all data of a finished run was delivered
 */
/**
 * @typedef {object} Source
 * @property {(listener: Listener) => Promise<void>} tell resolves when all present data was
 * delivered
 * @property {(batch: number) => Promise<Body>} body
 * @property {(call: number) => Promise<Call>} call
 */

/** Number of unpacked parts that are cached. */
const KEPT = 40

/** A run whose data is packed into the page. @implements {Source} */
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

  /** Unpack a part, or return it from the cache. @param {string} name */
  #unpack(name) {
    const kept = this.#unpacked.get(name) ?? unpack(name)
    this.#unpacked.delete(name)
    this.#unpacked.set(name, kept)
    const [oldest] = this.#unpacked.keys()
    if (this.#unpacked.size > KEPT) this.#unpacked.delete(oldest)
    return kept
  }
}

/** Unpack a part of the page: JSON, gzipped, in base64. @param {string} name */
async function unpack(name) {
  const text = document.getElementById(name)?.textContent
  if (!text) throw new Error(`part ${name} of the page is missing`)
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Response(stream).json()
}

/** A live run: the server sends all data from the start, then new data. @implements {Source} */
export class Live {
  /** @type {Body[]} */
  #bodies = []
  /** Name of the run, and below it the path of its page. */ #run = ''
  #at = ''
  /** True if the server hides some data until the run is over. */ #isPartial = false

  /** @param {() => boolean} isInUse returns whether the user is playing, typing or looking at an earlier moment */
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
      /**
       * Handle the start of a newer run: if the user is busy, keep this run and change the page's
       * address to this run's.
       */
      const stays = () => {
        const isInUse = this.isInUse()
        history.replaceState(null, '', isInUse ? this.#at + location.hash : location.pathname)
        return isInUse
      }
      on('begin', ({ run, at }) => {
        if (this.#run && run !== this.#run) stays()
        // after a lost connection, the server sends all data again
        if (this.#run) return location.reload()
        this.#run = run
        this.#at = at
        listener.state('loading')
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
      on('caught_up', () => {
        listener.state('live')
        resolve()
      })
      on('ended', ({ stays, state }) => {
        if (this.#isPartial) return location.reload() // hidden data may be shown now
        if (!stays) stream.close() // keep the stream, because a newer run may begin
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

  /**
   * Send an intervention to the run.
   * @param {string} deed @param {Record<string, string>} fields
   * @returns {Promise<string>} reason for a refusal; empty if the run accepted it
   */
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
