/** Offsets of a block's six neighbours, in the protocol's order of faces. */
export const FACES = [
  [0, -1, 0],
  [0, 1, 0],
  [0, 0, -1],
  [0, 0, 1],
  [-1, 0, 0],
  [1, 0, 0]
]
