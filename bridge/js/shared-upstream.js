/** Makes upstream cheap for many bots: loaded before anything that asks for what is changed here. */
import { shareLand } from './kept-land.js'
import { makeBlocksQuickly } from './quick-blocks.js'
import { rememberData } from './remembered-data.js'

makeBlocksQuickly()
shareLand()
rememberData() // of the changed packages
