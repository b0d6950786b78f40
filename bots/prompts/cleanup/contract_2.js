// Scripted mind: keeps contract 2. They take turns of a quarter of a minute or so, Gizmo cleans first; who
// cleans says when it is time to change.

const TURN_TICKS = 300

async function main(bot) {
  const other = bot.username === 'Gizmo' ? 'Glitch' : 'Gizmo'
  let cleaning = bot.username === 'Gizmo'
  for (;;) {
    if (cleaning) {
      const end = bot.time.age + TURN_TICKS
      await keep(bot, cleanOne, () => bot.time.age >= end)
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
