/** Equips one of some items; the best is named last. */
async function takeInHand(bot, names) {
  const held = bot.inventory.items()
  const found = [...names].reverse().map((name) => held.find((item) => item.name === name))
  const item = found.find(Boolean)
  if (!item) throw new Error(`you hold no ${names.join(' or ')}`)
  await bot.equip(item, 'hand')
  if (bot.heldItem?.name === item.name) return
  // items that arrive in an empty hand are not noticed
  bot.setQuickBarSlot((bot.quickBarSlot + 1) % 9)
  await bot.waitForTicks(1)
  await bot.equip(item, 'hand')
}
