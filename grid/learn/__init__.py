"""AdaSociety's learners, on batches of the grid's games: PPO, RecPPO, MAPPO, Rainbow, a curriculum.

``python -m grid.learn --help``. Needs torch, of the extra ``rl``: ``pip install -e '.[rl]'``. Each
algorithm is one file with one class, of which ``update`` reads from top to bottom. Source of the
algorithms' use and of what they are compared with: Huang et al., "AdaSociety" (NeurIPS 2024),
sections 5.2 and 5.3, appendices C to E.

Everywhere K or B are games, N agents of a game, G groups, R resources, A actions, T steps.
"""
