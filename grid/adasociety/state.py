from grid.state import *
