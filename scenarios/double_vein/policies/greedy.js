// Scripted mind: takes every pickaxe and every valuable ore.

const PICKAXES = ['iron_pickaxe', 'stone_pickaxe']

async function main(bot) {
  const chest = bot.findBlock({ matching: mcData.blocksByName.chest.id, maxDistance: 32 })
  await attempt(() => getItemFromChest(bot, chest.position, { iron_pickaxe: 1, stone_pickaxe: 1 }))
  if (!PICKAXES.some((pickaxe) => holds(bot, pickaxe))) {
    bot.chat('Both pickaxes are gone, so there is nothing I can mine.')
    return
  }
  // Iron first: a player with the stone pickaxe also wants it, whereas diamonds need the iron
  // pickaxe.
  const ores = holds(bot, 'iron_pickaxe') ? ['iron_ore', 'diamond_ore'] : ['iron_ore']
  for (const ore of ores) await attempt(() => mineBlock(bot, ore, 12))
}

function holds(bot, name) {
  return bot.inventory.items().some((item) => item.name === name)
}

/** Try an action; ignore failures because the other player may have been faster. */
async function attempt(action) {
  try {
    await action()
  } catch (error) {
    console.log(error.message)
  }
}
