// Scripted mind: keeps contract 2. The players take turns, Gizmo cleans first; the cleaner signals
// each change. Turns are short: the episode's length is unknown, and both players want their turn.

const TURN_SLIME = 5

async function main(bot) {
  const other = bot.username === 'Gizmo' ? 'Glitch' : 'Gizmo'
  let cleaning = bot.username === 'Gizmo'
  for (;;) {
    if (cleaning) {
      let removed = 0
      const clean = async () => (await cleanOne(bot)) && ++removed
      await keep(bot, clean, () => removed >= TURN_SLIME)
      await sendSignal(bot, other, 'change')
    } else {
      let over = false
      const signal = waitSignal(bot, null, other, 'change').then(() => (over = true))
      await keep(bot, harvestOne, () => over)
      await signal
    }
    cleaning = !cleaning
  }
}
