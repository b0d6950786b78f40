"""Games of the grid, step by step."""
