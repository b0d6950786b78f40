/** Digs at most `most` blocks of a kind, until the bot holds that many more of an item. */
async function dig(bot, block, item, count, most) {
  const before = countHeld(bot, item)
  for (let dug = 0; countHeld(bot, item) - before < count; dug++) {
    if (dug === most) throw new Error(`no ${item} came of ${most} ${block}`)
    await mineBlock(bot, block, 1)
  }
}
