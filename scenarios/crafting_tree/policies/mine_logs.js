// Scripted mind: gathers wood for all later steps.
async function mineLogs(bot) {
  const logs = ['oak_log', 'birch_log', 'spruce_log', 'jungle_log', 'acacia_log', 'dark_oak_log']
  await gather(bot, logs, logs, 7)
}
