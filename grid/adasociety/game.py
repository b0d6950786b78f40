from grid.game import *
