// Scripted mind: works through the synthesis tree (TREE) from its leaves up. The task's own
// function follows this code.
/** Return the number of units held of a resource. */
const held = (resource) => bot.inventory.count(mcData.itemsByName[TREE[resource].item].id)

/** Units reserved for a later station. */
const reserved = {}
const free = (resource) => held(resource) - (reserved[resource] ?? 0)

/** Obtain that many unreserved units of a resource, after the tools and inputs that it needs. */
async function obtain(bot, resource, count) {
  for (let failures = 0; free(resource) < count;) {
    const { block, inputs, requires } = TREE[resource]
    for (const tool of requires) if (!(tool in inputs) && !held(tool)) await obtain(bot, tool, 1)
    for (const [input, needed] of Object.entries(inputs)) {
      await obtain(bot, input, needed)
      reserved[input] = (reserved[input] ?? 0) + needed
    }
    for (const [input, needed] of Object.entries(inputs)) reserved[input] -= needed
    try {
      const before = held(resource)
      console.log(await useBlock(bot, block))
      for (let ticks = 0; held(resource) === before && ticks < 40; ticks++)
        await bot.waitForTicks(1)
    } catch (error) {
      console.log(String(error))
      if (++failures > 5) throw error
      await bot.waitForTicks(10)
    }
  }
}
