"""AdaSociety's learners, on batches of grid games: PPO, RecPPO, MAPPO, Rainbow, a curriculum.

``python -m grid.learn --help``. Needs torch, from the extra ``rl``: ``pip install -e '.[rl]'``.
Each algorithm is one file with one class, whose ``update`` reads from top to bottom. Source of the
algorithms' setup and of the published results: Huang et al., "AdaSociety" (NeurIPS 2024), sections
5.2 and 5.3, appendices C to E.

Dimensions in all modules: K or B games, N agents per game, G groups, R resources, A actions, T
steps.
"""
