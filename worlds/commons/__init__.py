"""The commons of the grid as a world of turns: what stands there, what is seen, what is done."""
