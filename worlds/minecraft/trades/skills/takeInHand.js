/** Takes one of some items in its hand: the best one is named last. */
async function takeInHand(bot, names) {
  const held = bot.inventory.items()
  const found = [...names].reverse().map((name) => held.find((item) => item.name === name))
  const item = found.find(Boolean)
  if (!item) throw new Error(`you hold no ${names.join(' or ')}`)
  await bot.equip(item, 'hand')
  if (bot.heldItem?.name === item.name) return
  bot.setQuickBarSlot((bot.quickBarSlot + 1) % 9) // what came into an empty hand is not noticed
  await bot.waitForTicks(1)
  await bot.equip(item, 'hand')
}
