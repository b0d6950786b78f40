/** Returns how many of an item the bot holds. */
function countHeld(bot, item) {
  const held = bot.inventory.items().filter((one) => one.name === item)
  return held.reduce((sum, one) => sum + one.count, 0)
}
