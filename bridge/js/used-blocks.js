/** Blocks that a click does something with, and places nothing against. */

/** What a click opens or switches, unless one sneaks. */
export const USED =
  /chest|barrel|furnace|smoker|shulker|hopper|crafting_table|anvil|dispenser|dropper|_door$|_gate$|trapdoor|_button$|lever|_bed$|_sign$|table$|stonecutter|loom|grindstone|lectern|bell|beacon|note_block|jukebox|repeater|comparator/
