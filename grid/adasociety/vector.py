from grid.vector import *
