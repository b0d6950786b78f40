// Scripted mind: functions shared by all steps.
function held(bot, ...names) {
  return names.reduce((sum, name) => sum + bot.inventory.count(mcData.itemsByName[name].id), 0)
}

function kindsThatEndIn(bot, ending) {
  return bot.inventory.items().filter((item) => item.name.endsWith(ending))
}

/** Return the nearest block of some kinds, exploring in a widening spiral until one is found. */
async function find(bot, names) {
  const matching = names.map((name) => mcData.blocksByName[name].id)
  const look = () => bot.findBlock({ matching, maxDistance: 64 })
  const turns = [new Vec3(1, 0, 1), new Vec3(-1, 0, 1), new Vec3(-1, 0, -1), new Vec3(1, 0, -1)]
  const first = Math.floor(Math.random() * 4)
  for (let leg = 0; leg < 10 && !look(); leg++) {
    await exploreUntil(bot, turns[(first + leg) % 4], 30 + 20 * leg, look)
  }
  const block = look()
  if (!block) throw new Error(`no ${names.join(' or ')} anywhere near`)
  return block
}

/** Dig the nearest blocks of some kinds until the bot has enough of an item. */
async function gather(bot, blocks, items, count) {
  for (let tries = 0; held(bot, ...items) < count && tries < 20; tries++) {
    const block = await find(bot, blocks)
    const away = block.position.distanceTo(bot.entity.position)
    if (away > 24) await goTo(bot, block.position, 16).catch(() => {})
    await mineBlock(bot, block.name, Math.min(count - held(bot, ...items), 4)).catch((error) => {
      console.log(String(error))
      return exploreUntil(bot, new Vec3(1, 0, tries % 2 ? 1 : -1), 15, () => null)
    })
  }
  if (held(bot, ...items) < count) throw new Error(`only ${held(bot, ...items)} ${items[0]} found`)
}

async function makePlanks(bot, count) {
  while (kindsThatEndIn(bot, '_planks').reduce((sum, item) => sum + item.count, 0) < count) {
    const [log] = kindsThatEndIn(bot, '_log')
    if (!log) throw new Error('there is no wood left')
    await craftItem(bot, log.name.replace('_log', '_planks'))
  }
}

async function makeSticks(bot, count) {
  while (held(bot, 'stick') < count) {
    await makePlanks(bot, 2)
    await craftItem(bot, 'stick')
  }
}

/** Place a table, craft at it, and pick it up again. */
async function craftAtTable(bot, ...names) {
  if (!held(bot, 'crafting_table')) {
    await makePlanks(bot, 4)
    await craftItem(bot, 'crafting_table')
  }
  const place = await putDown(bot, 'crafting_table')
  try {
    for (const name of names) await craftItem(bot, name)
  } finally {
    await givePlacedItemBack(bot, 'crafting_table', place).catch((error) =>
      console.log(String(error))
    )
  }
}
