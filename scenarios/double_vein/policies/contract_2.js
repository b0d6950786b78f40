// Scripted mind: keeps contract 2. Gizmo mines the iron with the iron pickaxe, puts it back and
// signals; Glitch waits for the signal, takes the pickaxe and mines the diamonds.

async function main(bot) {
  const chest = bot.findBlock({ matching: mcData.blocksByName.chest.id, maxDistance: 32 })
  if (bot.username === 'Gizmo') {
    await getItemFromChest(bot, chest.position, { iron_pickaxe: 1 })
    await mineBlock(bot, 'iron_ore', 12)
    await depositItemIntoChest(bot, chest.position, { iron_pickaxe: 1 })
    await sendSignal(bot, 'Glitch')
    return
  }
  await waitSignal(bot, () => goTo(bot, chest.position, 3), 'Gizmo')
  await getItemFromChest(bot, chest.position, { iron_pickaxe: 1 })
  await mineBlock(bot, 'diamond_ore', 6)
}
