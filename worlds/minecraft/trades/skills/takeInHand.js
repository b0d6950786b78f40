/** Takes the last of some items that it holds in its hand: the best one is named last. */
async function takeInHand(bot, names) {
  const held = bot.inventory.items()
  const found = [...names].reverse().map((name) => held.find((item) => item.name === name))
  const item = found.find(Boolean)
  if (!item) throw new Error(`you hold no ${names.join(' or ')}`)
  await bot.equip(item, 'hand')
}
