// Scripted mind: crafts the second tool and the furnace.
async function craftStonePickaxe(bot) {
  await makeSticks(bot, 2)
  const wanted = [
    held(bot, 'stone_pickaxe') ? '' : 'stone_pickaxe',
    held(bot, 'furnace') ? '' : 'furnace'
  ]
  await craftAtTable(bot, ...wanted.filter(Boolean))
}
