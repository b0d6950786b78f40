/** flying-squid's list of plugins, which our plugins replace. */
import { createRequire } from 'node:module'

/** @import { Plugin } from '../types/index.d.ts' */

const require = createRequire(import.meta.url)

/** @type {{builtinPlugins: Plugin[], initPlugins: () => void}} */
export const upstream = require('flying-squid/src/lib/plugins')
