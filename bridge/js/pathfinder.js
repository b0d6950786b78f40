/** Mineflayer's pathfinder: a CommonJS package, which modules cannot import by name. */
import { createRequire } from 'node:module'

export const { goals, Movements, pathfinder } = createRequire(import.meta.url)(
  'mineflayer-pathfinder'
)
