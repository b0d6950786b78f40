from grid.social import *
