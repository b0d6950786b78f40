/**
 * A Mineflayer bot, which predicts the result of each click, clicks at random in its inventory.
 *
 * It waits until it has a number of stacks, clicks, and prints the packets by which the server
 * corrected it as a JSON list. It stays in the world until standard input ends.
 *
 * Usage: node predicted_clicks.mjs HOST PORT NAME STACKS CLICKS SEED
 */
import { createRequire } from 'node:module'
import fc from 'fast-check'

const require = createRequire(import.meta.url)
const mineflayer = require('mineflayer')

const [host, port, username, stacks, clicks, seed] = process.argv.slice(2)
const CORRECTIONS = ['window_items', 'set_slot']
const FIRST_SLOT = 9

const bot = mineflayer.createBot({ host, port: Number(port), username, version: '1.20.4' })
const slot = fc.integer({ min: FIRST_SLOT, max: FIRST_SLOT + Number(stacks) + 2 })
const click = fc.oneof(
  fc.record({ mode: fc.constant(0), slot, button: fc.constantFrom(0, 0, 1) }),
  fc.record({ mode: fc.constant(2), slot, button: fc.integer({ min: 0, max: 8 }) })
)

/** Wait until the server has processed everything that the bot has sent. */
function answered() {
  bot._client.write('tab_complete', { transactionId: 1, text: '/' })
  return new Promise((resolve) => bot._client.once('tab_complete', resolve))
}

await new Promise((resolve) => bot.once('spawn', resolve))
console.log('joined')
while (bot.inventory.items().length < Number(stacks))
  await new Promise((resolve) => bot.inventory.once('updateSlot', resolve))
await answered()

/** @type {object[]} */
const corrections = []
let last = {}
bot._client.on('packet', (_, { name }) => {
  if (CORRECTIONS.includes(name)) corrections.push({ name, ...last })
})
const drawn = fc.sample(click, { numRuns: Number(clicks), seed: Number(seed) })
for (const { mode, slot, button } of drawn) {
  // As in vanilla's client, number keys do nothing while an item is on the cursor.
  if (mode === 2 && bot.inventory.selectedItem) continue
  last = { mode, slot, button, item: bot.inventory.slots[slot]?.name }
  await bot.clickWindow(slot, button, mode)
  await answered()
}
if (bot.inventory.selectedItem) await bot.clickWindow(bot.inventory.firstEmptyInventorySlot(), 0, 0)
await answered()
console.log(JSON.stringify(corrections))
process.stdin.on('end', () => process.exit(0)).resume()
