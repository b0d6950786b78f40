// Scripted mind: keeps contract 1. Gizmo mines all the iron with the stone pickaxe while Glitch
// mines all the diamonds with the iron pickaxe.

async function main(bot) {
  const [pickaxe, ore, count] =
    bot.username === 'Gizmo'
      ? ['stone_pickaxe', 'iron_ore', 12]
      : ['iron_pickaxe', 'diamond_ore', 6]
  const chest = bot.findBlock({ matching: mcData.blocksByName.chest.id, maxDistance: 32 })
  await getItemFromChest(bot, chest.position, { [pickaxe]: 1 })
  await mineBlock(bot, ore, count)
}
