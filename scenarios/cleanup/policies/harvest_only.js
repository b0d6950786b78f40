// Scripted mind: harvests and never cleans.

async function main(bot) {
  await keep(bot, harvestOne)
}
