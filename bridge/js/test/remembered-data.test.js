import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { cacheData, memoized } from '../remembered-data.js'

const load = createRequire(import.meta.url)
const minecraftData = load('minecraft-data')

test('data for a version matches upstream’s and is looked up only once', () => {
  let asked = 0
  const data = memoized((version, preNetty) => {
    asked += 1
    return minecraftData(version, preNetty)
  })
  for (const version of ['1.20.4', '1.20.1', '1.20.4', 765, '1.20.4', 'none such', 'none such']) {
    assert.equal(data(version), minecraftData(version))
  }
  assert.equal(asked, 5) // two versions, a number, and an unknown one twice
  assert.equal(data('1.20.5', false), minecraftData('1.20.5', false))
})

test('a package that requires its data in each tick has it looked up once', () => {
  cacheData()
  const physics = load.cache[load.resolve('prismarine-physics')]
  const data = physics?.require('minecraft-data')
  assert.equal(data, load('minecraft-data'))
  assert.equal(data('1.20.4').version.minecraftVersion, '1.20.4')
})
