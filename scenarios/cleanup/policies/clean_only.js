// Scripted mind: cleans all the time, whatever the other does.

async function main(bot) {
  await keep(bot, cleanOne)
}
