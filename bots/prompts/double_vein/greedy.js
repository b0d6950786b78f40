// Scripted mind: wants every pickaxe and every ore that is worth having.

/** What each ore needs; the better pickaxe first, the dearer ore first. */
const PICKAXES = ['iron_pickaxe', 'stone_pickaxe']

async function main(bot) {
  const chest = bot.findBlock({ matching: mcData.blocksByName.chest.id, maxDistance: 32 })
  for (const pickaxe of PICKAXES) await attempt(() => getItemFromChest(bot, chest.position, { [pickaxe]: 1 }))
  if (!PICKAXES.some((pickaxe) => holds(bot, pickaxe))) {
    bot.chat('Both pickaxes are gone, so there is nothing I can mine.')
    return
  }
  const ores = holds(bot, 'iron_pickaxe') ? ['diamond_ore', 'iron_ore'] : ['iron_ore']
  for (const ore of ores) await attempt(() => mineBlock(bot, ore, 12))
}

function holds(bot, name) {
  return bot.inventory.items().some((item) => item.name === name)
}

/** Goes on without what the other player was faster to get. */
async function attempt(action) {
  try {
    await action()
  } catch (error) {
    console.log(error.message)
  }
}
