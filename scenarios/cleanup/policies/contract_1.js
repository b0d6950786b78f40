// Scripted mind: keeps contract 1. Gizmo harvests, Glitch cleans.

async function main(bot) {
  await keep(bot, bot.username === 'Gizmo' ? harvestOne : cleanOne)
}
