"""Generative agents: they remember, react, plan, reflect, and choose one action per turn.

Source: Park et al., "Generative Agents" (2023), in the variant of Mosquera et al. (2024) for
Melting Pot. A cycle is one turn: perceive, react (is the plan still good?), plan, reflect (after
every 30 observations: three questions, then three insights from recalled memories), act. Answer
types are in :mod:`bots.agents.generative.prompts`.
"""

from voxpolis.bots.agents.generative.situation import Habits, Persona, Situation

__all__ = ["Habits", "Persona", "Situation"]
