"""PIANO agents: many modules at once over one shared state, and one controller that decides.

Source of the architecture: Altera.AL, "Project Sid" (2024), where it is described in words only. A
module is a file with one function ``run(agent)``; each of an agent's modules is a task of its own
with its own period, so that a slow thought never holds up a reflex. Which modules an agent has, and
how often they run, is a mapping from names to seconds: an ablation leaves names out. What agents
can do beside going, visiting and resting is a scenario's (:mod:`bots.agents.piano.actions`).
"""
