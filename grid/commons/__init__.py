"""Clean Up and Commons Harvest, by the rules of Melting Pot.

Source: Leibo et al., "Scalable Evaluation of Multi-Agent Reinforcement Learning with Melting Pot"
(2021) and its public substrates; Hughes et al., "Inequity aversion improves cooperation in
intertemporal social dilemmas" (2018); Perolat et al., "A multi-agent reinforcement learning model
of common-pool resource appropriation" (2017). The maps are ours, with the published sizes and
counts.
"""

from grid.commons.game import Commons, commons_names, read_commons

__all__ = ["Commons", "commons_names", "read_commons"]
