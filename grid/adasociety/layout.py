from grid.layout import *
