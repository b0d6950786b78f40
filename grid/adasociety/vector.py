from grid.vector import VectorGame
