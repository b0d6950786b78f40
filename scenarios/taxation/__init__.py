"""A taxed village that votes on its constitution.

Source: Altera.AL, "Project Sid" (2024), the experiment on collective rules: 25 constituents with
jobs, three influencers who are all for a higher or all for a lower tax, and an election manager far
away. Every 120 s a bell rings, and who holds something has 20 s to carry a share of it to the
community chest. At half time the village has said what it thinks, amendments were made of that,
voted on, and became law.
"""

from voxpolis.scenarios.taxation.scenario import Taxation

__all__ = ["Taxation"]
