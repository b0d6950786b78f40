/**
 * Reduce the cost of upstream packages for many bots. Import this module before any that imports
 * those packages.
 */
import { shareLand } from './kept-land.js'
import { installQuickBlocks } from './quick-blocks.js'
import { cacheData } from './remembered-data.js'

installQuickBlocks()
shareLand()
cacheData() // of the packages that this module changes
