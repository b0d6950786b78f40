from grid.oracle import *
