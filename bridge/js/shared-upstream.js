/**
 * Reduce the cost of upstream packages for many bots. Import this before anything that imports
 * them.
 */
import { shareLand } from './kept-land.js'
import { installQuickBlocks } from './quick-blocks.js'
import { cacheData } from './remembered-data.js'

installQuickBlocks()
shareLand()
cacheData() // of the changed packages
