"""A commons on the grid (agents share apples that regrow) as a world in which agents take turns:
its state, the agents' perception, and their actions.
"""
