"""Generative agents: they remember, react, plan, reflect, and choose one action per turn.

Source: Park et al., "Generative Agents" (2023), in the variant that Mosquera et al. (2024) use for
Melting Pot. In each turn the agent perceives the world, decides whether its plan is still good,
makes a new plan if not, and acts. After every 30 observations it also reflects: it asks itself
three questions, and draws three insights from the memories that it recalls for these questions. The
answer types are in :mod:`bots.agents.generative.prompts`.
"""

from voxpolis.bots.agents.generative.situation import Habits, Persona, Situation

__all__ = ["Habits", "Persona", "Situation"]
