// Calls with mutated arguments: see tests/mutants.py.
const near = new Vec3(0, 150, 0)
const pick = (list) => list[Math.floor(Math.random() * list.length)]
const MAKERS = [
  () => undefined,
  () => null,
  () => NaN,
  () => -Infinity,
  () => 2 ** 53,
  () => -1,
  () => 0.5,
  () => 1,
  () => 3,
  () => '',
  () => 'dirt',
  () => 'constructor',
  () => '__proto__',
  () => '\ud800',
  () => 'x'.repeat(1e5),
  () => 10n,
  () => Symbol('x'),
  () => true,
  () => () => pick(MAKERS)(),
  () => [],
  () => [1, [2, [3, NaN]]],
  () => ({}),
  () => ({ x: 1, y: '2', z: {} }),
  () => Object.create(null),
  () => new Proxy({}, { get: (_, key) => pick([key, 1, NaN, near]) }),
  () => {
    const loop = {}
    loop.loop = loop
    return loop
  },
  () => ({
    get x() {
      throw new Error('a getter')
    },
    y: 1,
    z: 1
  }),
  () => ({ then: (resolve) => resolve(pick(MAKERS)()) }),
  () => Promise.reject(1),
  () => new Map(),
  () => new Date(NaN),
  () => new Uint8Array(9),
  () => globalThis,
  () => bot,
  () => bot.world,
  () => new Vec3(0, 150, 0),
  () => new Vec3(1e9, NaN, 'x'),
  () => bot.blockAt(near),
  () => bot.entity,
  () => bot.inventory,
  () => bot.nearestEntity(),
  () => bot.heldItem,
  () => bot.recipesAll(mcData.itemsByName.stick.id, null, true)[0],
  () => mcData,
  () => mcData.blocks,
  () => new GoalNear(pick(MAKERS)(), 151, 1, 1),
  () => new GoalFollow(pick(MAKERS)(), 1),
  () => new GoalCompositeAny([pick(MAKERS)()]),
  () => new GoalPlaceBlock(near, bot.world, pick(MAKERS)()),
  () => ({ $: 'b', at: [pick(MAKERS)(), 150, 0] }),
  () => ({ $: 'e', id: pick([1, 1e9, 'x', -1]) }),
  () => ({ $: 'i', type: pick([1, 1e9, 'x']), slot: pick([36, -1, 'length']) }),
  () => ({ $: 'w', id: pick([0, 1, 'x']), open: true }),
  () => ({ $: 'r', type: 'length', index: 0 }),
  () => ({ $: 'g', name: pick(['GoalNear', 'constructor']), args: pick([[], 1, [{}]]) }),
  () => ({ $: 'f', id: 1e9 }),
  () => ({ $: 'd', path: ['mcData', 'constructor'] }),
  () => ({ $: pick(['u', 'v', 'zzz', '__proto__']), x: 1 }),
  () => ({
    matching: pick(MAKERS)(),
    maxDistance: pick(MAKERS)(),
    count: pick(MAKERS)(),
    point: pick(MAKERS)()
  })
]
const METHODS = Object.keys(bot).filter((name) => Object.getOwnPropertyDescriptor(bot, name).value)
const PRIMITIVES = [PRIMITIVES_DECLARED]
const CALLS = [
  ...METHODS.filter((name) => typeof bot[name] === 'function').map(
    (name) =>
      (...args) =>
        bot[name](...args)
  ),
  ...Object.keys(bot.pathfinder).map(
    (name) =>
      (...args) =>
        bot.pathfinder[name](...args)
  ),
  ...PRIMITIVES.map(
    (primitive) =>
      (...args) =>
        primitive(bot, ...args)
  ),
  ...PRIMITIVES,
  setTimeout,
  clearTimeout,
  setInterval,
  console.log,
  mcData.supportFeature,
  ...['blocks', 'itemsByName', 'recipes'].map((name) => (key) => mcData[name][key]),
  ...['count', 'items', 'findInventoryItem', 'slots'].map(
    (name) =>
      (...args) =>
        bot.inventory[name](...args)
  )
]
let made = 0
for (; made < CALLS_TO_MAKE; made++) {
  try {
    const args = Array.from({ length: Math.floor(Math.random() * 4) }, () => pick(MAKERS)())
    const work = pick(CALLS)(...args)
    if (typeof work?.then === 'function') {
      await Promise.race([
        Promise.resolve(work).catch(() => {}),
        new Promise((go) => setTimeout(go, 20))
      ])
    }
  } catch {}
}
console.info('made ' + made)
