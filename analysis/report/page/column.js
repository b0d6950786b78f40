/** A typed array of floats that grows; it has spare capacity. */

export class Column {
  #values = new Float64Array(64)
  length = 0

  /** @param {number} value */
  add(value) {
    if (this.length === this.#values.length) this.#grow(this.length + 1)
    this.#values[this.length++] = value
  }

  /** @param {number[]} values */
  push(values) {
    if (this.length + values.length > this.#values.length) this.#grow(this.length + values.length)
    this.#values.set(values, this.length)
    this.length += values.length
  }

  /** @param {number} needed */
  #grow(needed) {
    const larger = new Float64Array(Math.max(needed, 2 * this.#values.length))
    larger.set(this.#values)
    this.#values = larger
  }

  /** @param {number} index */
  at(index) {
    return this.#values[index]
  }

  /**
   * Return the index of the last value that is at most `value`, in an ascending column; -1 if there
   * is none.
   * @param {number} value
   */
  before(value) {
    let [low, high] = [-1, this.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (this.#values[middle] <= value) low = middle
      else high = middle
    }
    return low
  }
}
