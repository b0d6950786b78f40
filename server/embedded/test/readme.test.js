/** The README's table lists every folder of plugins. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

/** @param {string} file */
const read = (file) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')

test('the README lists each folder of plugins', () => {
  const imports = read('plugins.js').matchAll(/^import \* as \w+ from '\.\/([a-z]+)\//gm)
  const folders = new Set([...imports].map(([, name]) => name))
  assert.ok(folders.size > 10)
  const readme = read('README.md')
  for (const folder of folders) assert.match(readme, new RegExp(`^\\| .*\`${folder}/\``, 'm'))
})
