from grid.tables import *
