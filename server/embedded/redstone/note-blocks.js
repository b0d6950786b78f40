/** Note blocks: a click tunes them; they play when struck, clicked or powered. */
import { registry } from '../minecraft/index.js'
import { blockAt, propertiesOf, stateAt } from '../blocks/blocks.js'

/** @import { Server, Vec3 } from '../types/index.d.ts' */

const NOTES = 25
const HEARD_BLOCKS = 48
/** Instrument by the block below (minecraft.wiki: Note Block). @type {[RegExp, string][]} */
const INSTRUMENTS = [
  [/^(gold_block)$/, 'bell'],
  [/^clay$/, 'flute'],
  [/^packed_ice$/, 'chime'],
  [/_wool$/, 'guitar'],
  [/^bone_block$/, 'xylophone'],
  [/^iron_block$/, 'iron_xylophone'],
  [/^soul_sand$/, 'cow_bell'],
  [/^pumpkin$/, 'didgeridoo'],
  [/^emerald_block$/, 'bit'],
  [/^hay_block$/, 'banjo'],
  [/^glowstone$/, 'pling'],
  [/^(sand|red_sand|gravel|.*_concrete_powder)$/, 'snare'],
  [/glass|^sea_lantern$|^beacon$/, 'hat'],
  [
    /planks$|_log$|_wood$|_stem$|_hyphae$|^(crafting_table|chest|barrel|bookshelf|note_block|jukebox)$/,
    'bass'
  ],
  [
    /stone|_ore$|brick|terracotta|concrete|obsidian|netherrack|bedrock|quartz|deepslate|granite|diorite|andesite/,
    'basedrum'
  ]
]

/** @param {Server} serv */
export function server(serv) {
  serv.once('asap', () => {
    serv.onUseBlock(['note_block'], (_player, position) => {
      const { note } = propertiesOf(stateAt(serv.overworld, position))
      serv.changeBlock(position, { note: String((Number(note) + 1) % NOTES) })
      play(serv, position)
      return true
    })
    serv.onPower(['note_block'], (position, isPowered) => {
      const { powered } = propertiesOf(stateAt(serv.overworld, position))
      if (powered === String(isPowered)) return
      serv.changeBlock(position, { powered: String(isPowered) })
      if (isPowered) play(serv, position)
    })
  })

  serv.on('blockStruck', (_player, position) => {
    if (blockAt(serv, position)?.name === 'note_block') play(serv, position)
  })

  serv.on('blockChanged', (position, _before, after) => {
    const { name } = registry.blocksByStateId[after]
    const place = name === 'note_block' ? position : position.offset(0, 1, 0)
    if (blockAt(serv, place)?.name !== 'note_block') return
    const instrument = instrumentOver(blockAt(serv, place.offset(0, -1, 0))?.name ?? 'air')
    const state = propertiesOf(stateAt(serv.overworld, place))
    if (state.instrument !== instrument) serv.changeBlock(place, { instrument })
  })
}

/** @param {string} below @returns {string} */
const instrumentOver = (below) => INSTRUMENTS.find(([names]) => names.test(below))?.[1] ?? 'harp'

/** @param {Server} serv @param {Vec3} position */
function play(serv, position) {
  if (blockAt(serv, position.offset(0, 1, 0))?.name !== 'air') return
  const { instrument, note } = propertiesOf(stateAt(serv.overworld, position))
  serv.blockAction(position, 0, 0)
  serv.playSound(`block.note_block.${instrument}`, position.offset(0.5, 0.5, 0.5), {
    radius: HEARD_BLOCKS,
    volume: 3,
    pitch: 2 ** ((Number(note) - 12) / 12)
  })
}
