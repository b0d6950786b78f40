/** Digs blocks of a kind until it holds so many more of an item, `most` blocks at most. */
async function dig(bot, block, item, count, most) {
  const before = countHeld(bot, item)
  for (let dug = 0; countHeld(bot, item) - before < count; dug++) {
    if (dug === most) throw new Error(`no ${item} came of ${most} ${block}`)
    await mineBlock(bot, block, 1)
  }
}
