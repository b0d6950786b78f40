from grid.metrics import *
