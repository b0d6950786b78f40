"""Generative agents: they remember, react, plan, reflect, and choose one action a turn.

Source: Park et al., "Generative Agents" (2023), in the form that Mosquera et al. (2024)
gave them for Melting Pot. A cycle is one turn: perceive, react (is the plan still good?), plan,
reflect (after every 30 observations: three questions, then three insights out of what comes to
mind), act. The type of each answer is in :mod:`bots.agents.generative.prompts`.
"""

from voxpolis.bots.agents.generative.situation import Habits, Persona, Situation

__all__ = ["Habits", "Persona", "Situation"]
