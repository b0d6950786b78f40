/** The six sides of a block, as steps to its neighbours, in the protocol's order. */
export const FACES = [
  [0, -1, 0],
  [0, 1, 0],
  [0, 0, -1],
  [0, 0, 1],
  [-1, 0, 0],
  [1, 0, 0]
]
