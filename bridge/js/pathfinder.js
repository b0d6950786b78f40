/** Mineflayer's pathfinder: a CommonJS package, which modules cannot import by name. */
import { createRequire } from 'node:module'
import { rememberData } from './remembered-data.js'

rememberData() // before anything is loaded that asks for it: this, and what Mineflayer takes from it
export const { goals, Movements, pathfinder } = createRequire(import.meta.url)(
  'mineflayer-pathfinder'
)
