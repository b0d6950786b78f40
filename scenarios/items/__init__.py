"""People who gather and make what they can, each alone, and how much action awareness matters.

Source: Altera.AL, "Project Sid" (2024), individual progress (figures 4, 5, 13): 25 agents alone for
30 minutes, with all modules, without action awareness, and as a baseline of skill execution, memory
and controller; and 49 agents in one world. What is measured are the kinds of item that each ever
held. On the grid the land is data with Minecraft's own recipes; in Minecraft it is natural land.
"""

from voxpolis.scenarios.items.scenario import Items

__all__ = ["Items"]
