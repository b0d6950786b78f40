/**
 * Reduce the cost of upstream packages for many bots. Import this before anything that imports
 * them.
 */
import { shareLand } from './kept-land.js'
import { makeBlocksQuickly } from './quick-blocks.js'
import { cacheData } from './remembered-data.js'

makeBlocksQuickly()
shareLand()
cacheData() // of the changed packages
