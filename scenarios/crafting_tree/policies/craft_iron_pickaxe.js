// Scripted mind: crafts the third tool.
async function craftIronPickaxe(bot) {
  await makeSticks(bot, 2)
  await craftAtTable(bot, 'iron_pickaxe')
}
