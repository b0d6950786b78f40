"""AdaSociety's learning algorithms for batches of grid games: PPO, RecPPO, MAPPO, Rainbow and a
curriculum.

``python -m grid.learn --help`` shows the options. The package needs torch, which the extra ``rl``
installs (see docs/start/install.md). Each algorithm is one file with one class, whose ``update``
reads from top to bottom. The algorithms' setup and the published results come from Huang et al.,
"AdaSociety" (NeurIPS 2024), sections 5.2 and 5.3 and appendices C to E.

The shapes of arrays use the same letters in all modules: K or B games, N agents per game, G groups,
R resources, A actions, T steps.
"""
