// Scripted mind: cleans all the time.

async function main(bot) {
  await keep(bot, cleanOne)
}
