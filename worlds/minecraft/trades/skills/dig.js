/** Digs blocks of a kind until it holds so many more of an item, `most` blocks at most. */
async function dig(bot, block, item, count, most) {
  const held = () =>
    bot.inventory.items().reduce((sum, one) => sum + (one.name === item ? one.count : 0), 0)
  const before = held()
  for (let dug = 0; held() - before < count; dug++) {
    if (dug === most) throw new Error(`no ${item} came of ${most} ${block}`)
    await mineBlock(bot, block, 1)
  }
}
