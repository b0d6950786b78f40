// Scripted mind: crafts the last tool.
async function craftDiamondPickaxe(bot) {
  await makeSticks(bot, 2)
  await craftAtTable(bot, 'diamond_pickaxe')
}
