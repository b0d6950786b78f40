"""AdaSociety's learning algorithms for batches of grid games: PPO, RecPPO, MAPPO, Rainbow and a
curriculum.

Run ``python -m grid.learn --help``. Learning needs torch, which the extra ``rl`` installs: ``pip
install -e '.[rl]'``. Each algorithm is one file with one class, whose ``update`` method can be read
from top to bottom. Source of the algorithms' setup and of the published results: Huang et al.,
"AdaSociety" (NeurIPS 2024), sections 5.2 and 5.3, appendices C to E.

The shapes of arrays use the same letters in all modules: K or B games, N agents per game, G groups,
R resources, A actions, T steps.
"""
