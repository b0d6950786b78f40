// Scripted mind: crafts planks, a table, sticks and the first tool.
async function craftWoodenPickaxe(bot) {
  await makeSticks(bot, 2)
  await makePlanks(bot, held(bot, 'crafting_table') ? 3 : 7)
  await craftAtTable(bot, 'wooden_pickaxe')
}
