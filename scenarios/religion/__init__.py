"""The spread of a religion over towns and countryside, from mouth to mouth.

Source: Altera.AL, "Project Sid" (2024), the experiment on culture and religion: 500 agents for
9000 s, six towns of 33 agents each, the others in the country around; 20 priests of the Spaghetti
Monster in one town. Who says "Pastafarian" or "Spaghetti Monster" is a direct convert, who says
"Pasta" or "Spaghetti" an indirect one; levels only rise. How far a voice carries is not published;
ours is 16 blocks.
"""

from voxpolis.scenarios.religion.scenario import Religion

__all__ = ["Religion"]
