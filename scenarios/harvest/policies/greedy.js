// Scripted mind: takes whatever is there.

async function main(bot) {
  await keep(bot, harvestSome)
}
