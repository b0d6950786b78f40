/** The six sides of a block, as steps to its neighbours: down first, because most ground is there. */
export const FACES = [
  [0, -1, 0],
  [0, 1, 0],
  [1, 0, 0],
  [-1, 0, 0],
  [0, 0, 1],
  [0, 0, -1]
]
