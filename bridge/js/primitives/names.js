/** Names in the game's version: an unknown name is refused immediately, with a suggestion. */

/** Maximum edit distance for a suggestion. */
const MAX_CHANGES = 6
/** Maximum length of a name in an error message. */
const MAX_SHOWN = 100

/**
 * @template T
 * @param {string} what block, item or mob
 * @param {Record<string, T>} known by name
 * @param {unknown} name
 * @returns {T}
 */
export function readName(what, known, name) {
  const bare = String(name).replace(/^minecraft:/, '')
  if (Object.hasOwn(known, bare)) return known[bare]
  const like = nearestName(Object.keys(known), bare.toLowerCase().replaceAll(' ', '_'))
  throw new Error(`there is no ${what} named ${shown(name)}${like ? `; do you mean ${like}?` : ''}`)
}

/** Return a name for an error message; other values are converted to text. @param {unknown} name */
const shown = (name) =>
  /^[\w: ]{1,100}$/.test(String(name)) ? name : JSON.stringify(String(name).slice(0, MAX_SHOWN))

/** @param {string[]} names @param {string} wrong @returns {string} empty if none is similar */
function nearestName(names, wrong) {
  let [best, least] = ['', Math.min(MAX_CHANGES, Math.ceil(wrong.length / 2)) + 1]
  const said = stem(wrong)
  for (const name of names) {
    const own = stem(name)
    const partial = own.split('_').includes(said) || said.split('_').includes(own)
    const changes = partial ? 1 + Math.abs(name.length - wrong.length) / 100 : distance(name, wrong)
    if (changes < least) [best, least] = [name, changes]
  }
  return best
}

/** Return a name with its words in the singular. @param {string} name */
const stem = (name) => name.replace(/(?<=[^s])s(?=_|$)/g, '')

/** Return the edit distance. @param {string} one @param {string} other */
function distance(one, other) {
  if (Math.abs(one.length - other.length) > MAX_CHANGES) return Infinity
  let row = Array.from({ length: other.length + 1 }, (_, k) => k)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let k = 1; k <= other.length; k++) {
      const replaced = row[k - 1] + (one[i - 1] === other[k - 1] ? 0 : 1)
      next.push(Math.min(row[k] + 1, next[k - 1] + 1, replaced))
    }
    row = next
  }
  return row[other.length]
}
