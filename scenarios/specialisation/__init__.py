"""A village of thirty with trades, in which people find roles of their own.

Source: Altera.AL, "Project Sid" (2024), specialisation: 30 agents for 20 minutes in one village,
all with the same traits and empty hands. What they do follows from social goals, which each makes
of what it knows of the others. In a normal village, a martial one and one of art; and in a normal
one whose people have no social awareness. The village and its trades are ours.
"""

from voxpolis.scenarios.specialisation.scenario import Specialisation

__all__ = ["Specialisation"]
