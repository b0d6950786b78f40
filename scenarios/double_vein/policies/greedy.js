// Scripted mind: wants every pickaxe and every ore that is worth having.

const PICKAXES = ['iron_pickaxe', 'stone_pickaxe']

async function main(bot) {
  const chest = bot.findBlock({ matching: mcData.blocksByName.chest.id, maxDistance: 32 })
  await attempt(() => getItemFromChest(bot, chest.position, { iron_pickaxe: 1, stone_pickaxe: 1 }))
  if (!PICKAXES.some((pickaxe) => holds(bot, pickaxe))) {
    bot.chat('Both pickaxes are gone, so there is nothing I can mine.')
    return
  }
  // Iron first: whoever has the stone pickaxe is after it too, while the diamonds wait for the iron one.
  const ores = holds(bot, 'iron_pickaxe') ? ['iron_ore', 'diamond_ore'] : ['iron_ore']
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
