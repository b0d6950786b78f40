/** Separate engines without a body: the environment in which a program runs. */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, test } from 'node:test'
import { EngineThread } from '../sandbox/engine-thread.js'
import { describe } from '../sandbox/errors.js'
import { LIMITS } from '../sandbox/limits.js'
import { readOutcome } from '../sandbox/outcome.js'

const require = createRequire(import.meta.url)

/** @type {(message: any) => void} */
let heard = () => {}
const engine = new EngineThread({
  clock: { speed: 1, anchorMs: 0, file: '' },
  receive: (message) => heard(message),
  ended: () => {}
})
after(() => engine.end())

/**
 * @param {string} code @param {Record<string, string>} skills
 * @returns {Promise<{said: any[], end: any}>}
 */
async function run(code, skills = {}) {
  await engine.ready
  /** @type {any[]} */
  const said = []
  const { promise, resolve } = Promise.withResolvers()
  heard = (message) => (message.op === 'finished' ? resolve(message) : said.push(message))
  engine.tell(0)
  const setting = { username: 'Anna', version: '1.20.4', seed: 0 }
  engine.post({ op: 'run', code, skills, setting })
  return { end: await promise, said }
}

for (const name of ['bot', 'console', 'mineBlock', 'constructor', 'toString', 'Promise']) {
  test(`a skill cannot replace ${name}`, async () => {
    const skills = { [name]: `async function ${name}(bot) {}`, fine: 'async function fine(bot) {}' }
    const { end, said } = await run('await fine(bot)\nconsole.log(typeof bot.dig)', skills)
    assert.equal(end.status, 'done')
    assert.match(said[0].line, new RegExp(`^the skill ${name} cannot be used: `))
    assert.equal(said[1].line, 'function')
  })
}

const NAMES = ['bot', 'data', 'modules', 'room', 'things', 'windows', 'wire']
for (const name of [...NAMES.flatMap((one) => [`./${one}.js`, `${one}.js`]), 'vec3', 'policy.js']) {
  test(`a program imports no ${name}`, async () => {
    const { end, said } = await run(`console.log(Object.keys(await import('${name}')))`)
    assert.deepEqual(said, [])
    assert.equal(end.status, 'error')
    assert.match(end.error.message, /there are no modules/)
  })
}

test('require returns what the room provides, and nothing else', async () => {
  const { end, said } = await run(`
    const { Vec3: V } = require('vec3'), vec3 = require('vec3')
    const { goals: { GoalNear: G } } = require('mineflayer-pathfinder')
    const data = require('minecraft-data')(bot.version)
    console.log(V === Vec3, vec3(1, 2, 3).equals(new Vec3(1, 2, 3)), G === GoalNear, data === mcData)
    require('fs')`)
  assert.deepEqual(said, [{ op: 'print', line: 'true true true true' }])
  assert.equal(end.status, 'error')
  assert.match(end.error.message, /^there is no module fs; there are: vec3, minecraft-data, mine/)
})

/** Uses of the package in programs, compared with the real one. */
const VECTORS = ['new v(1, 2, 3)', 'v(1, 2, 3)', 'v([1, 2, 3])', 'v({ x: 1, y: 2, z: 3 })', 'v()']
VECTORS.push(
  "v('(1, -2.5, 3)')",
  "v('1', '2', '3')",
  'new v()',
  'v(null)',
  'v(1, 2, 3).plus(v(1, 1, 1))'
)
VECTORS.push('new v.Vec3(1, 2, 3).offset(1, 0, 0)', 'v(1, 2, 3) instanceof v.Vec3', 'typeof v.Vec3')
VECTORS.push('v(1, 2, 3) instanceof v', 'v(1, 2)', "v('no vector')", 'Object.keys(v)')

test('vec3 behaves like the original package', async () => {
  const said = async (/** @type {string} */ expression) => {
    const code = `const v = require('vec3')
    try { console.log(String(${expression})) } catch (error) { console.log(error.message) }`
    const { end, said } = await run(code)
    assert.equal(end.status, 'done')
    return said.map(({ line }) => line)
  }
  for (const expression of VECTORS) {
    let theirs
    try {
      theirs = String(new Function('v', `return ${expression}`)(require('vec3')))
    } catch (error) {
      theirs = /** @type {Error} */ (error).message
    }
    assert.deepEqual(await said(expression), [theirs], expression)
  }
})

test('movement settings are stored per program and have no effect', async () => {
  const { end, said } = await run(`
    const { pathfinder, Movements, goals } = require('mineflayer-pathfinder')
    bot.loadPlugin(pathfinder)
    const moves = new Movements(bot, require('minecraft-data')(bot.version))
    moves.canDig = false
    moves.scafoldingBlocks.push(1)
    moves.blocksCantBreak.add(2)
    bot.pathfinder.setMovements(moves)
    console.log(bot.pathfinder.movements === moves, moves.maxDropDown, goals.GoalNear === GoalNear)
    const words = []
    for (const wrong of [() => bot.loadPlugin(() => {}), () => bot.pathfinder.setMovements({ canDig: true }),
      () => { Movements.prototype.x = 1 }, () => { pathfinder.x = 1 }, () => { require.cache = {} }]) {
      try { wrong(); words.push('nothing') } catch (error) { words.push(error.message) }
    }
    console.log(words.join('; '))`)
  assert.equal(end.status, 'done')
  assert.equal(said[0].line, 'true 4 true')
  assert.match(
    said[1].line,
    /^loadPlugin takes the pathfinder .*; setMovements needs new Movements/
  )
  assert.doesNotMatch(said[1].line, /nothing/)
})

test('movement settings of one program do not affect the next program', async () => {
  await run("bot.pathfinder.movements.canDig = false; require('vec3').Vec3 === Vec3 || forged()")
  const { said } = await run('console.log(bot.pathfinder.movements.canDig)')
  assert.deepEqual(said, [{ op: 'print', line: 'true' }])
})

const FORGED = [
  ['5', ''],
  ['null', ''],
  ['{"status":"killed","error":{"message":"x","stack":"y"}}', 'x'],
  ['{"status":"error","error":{"message":{"toString":1},"stack":{"toString":1}}}', ''],
  ['{"status":"error","error":7}', '']
]
for (const [json, message] of FORGED) {
  test(`a program that ends with ${json} gives a plain error`, () => {
    const { status, error } = readOutcome(json)
    assert.equal(status, 'error')
    assert.equal(error?.message, message)
    const told = { message: { toString: 1 }, stack: { toString: 1 } }
    assert.equal(describe(told, { code: '', skills: {} }, []).message, '')
  })
}

/**
 * @param {number[]} worked CPU time in ms at each check
 * @param {number} over index of the check at which it has stopped
 */
async function press(worked, over = Infinity) {
  /** @type {number[]} */
  const told = []
  let looks = 0
  const thread = {
    tell: (/** @type {number} */ stage) => void told.push(stage),
    workedMs: async () => worked[Math.min(looks++, worked.length - 1)]
  }
  const isOver = () => looks >= over
  return {
    stopped: await EngineThread.prototype.press.call(/** @type {any} */ (thread), isOver),
    told,
    looks
  }
}

test('the limit on stopping a program applies to its thread’s CPU time', async () => {
  const { GRACE_MS, LAST_MS } = LIMITS
  Object.assign(LIMITS, { GRACE_MS: 1, LAST_MS: 1 })
  const loops = await press([0, LIMITS.STOPPING_MS + 1])
  const starved = await press([0, 1, 2], 3)
  const stuck = await press([0])
  Object.assign(LIMITS, { GRACE_MS, LAST_MS })
  assert.deepEqual(loops, { stopped: false, told: [2], looks: 2 })
  assert.deepEqual(starved, { stopped: true, told: [], looks: 3 })
  assert.deepEqual(stuck, { stopped: false, told: [2], looks: 2 + LIMITS.MORE_GRACES })
})
