"""The crafting tree: agents start with nothing and climb, writing one program after another.

Two trees. In Minecraft's own (wood, stone, iron, diamond), agents stand in natural land; milestones
are the first tool of each material, as in Wang et al., "Voyager" (2023), and progress is the number
of kinds of item held so far, over prompting iterations and over minutes. In AdaSociety's synthesis
tree (15 resources, 9 events; Huang et al. 2024), agents stand in an arena of piles and stations
whose rules the world enforces; milestones are what the stations make, up to the totem. It is played
on the grid, too, on the same map, by plans instead of programs.
"""

from voxpolis.scenarios.crafting_tree.scenario import CraftingTree

__all__ = ["CraftingTree"]
