/** The README's table and the list of plugins name the same files. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

/** @param {string} file @param {RegExp} pattern */
function namesIn(file, pattern) {
  const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
  return [...text.matchAll(pattern)].map(([, name]) => name).sort()
}

test('the README lists each plugin once', () => {
  const plugins = namesIn('plugins.js', /^import \* as \w+ from '\.\/([a-z/-]+)\.js'$/gm)
  assert.ok(plugins.length > 100)
  assert.deepEqual(namesIn('README.md', /^\| `([a-z-]+\/[a-z-]+)\.js` \|/gm), plugins)
})
