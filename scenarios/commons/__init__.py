"""Commons Harvest: apples grow again only near others; whoever takes a tree's last one kills it.

With --game clean_up: apples grow where a river is clean, and cleaning it earns nothing.

Source: Mosquera et al., "Can LLM-Augmented Autonomous Agents Cooperate? An Evaluation of Their
Cooperative Capabilities through Melting Pot" (2024). Three generative agents take turns on a map
with six trees, or in a room with one; bots of scripted rules may play besides. Clean Up with the
same agents is ours.
"""

from voxpolis.scenarios.commons.scenario import CommonsHarvest

__all__ = ["CommonsHarvest"]
