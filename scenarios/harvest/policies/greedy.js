// Scripted mind: takes everything.

async function main(bot) {
  await keep(bot, harvestSome)
}
