"""Cooperation modules, which any kind of agent can carry in addition to its own mind.

Source: Mosquera et al. (2024), section 7, which proposes four modules: understanding (hypotheses
about the world and other agents, tested against events), communication (questions, offers, answers,
and trust in them), a constitution and a reputation. ``judge/`` decides on binding force, fines and
counts. The world defines the claims that can be checked.

- ``knowledge.py``: knowledge that the modules give to the mind that carries them.
- ``requests.py``: questions to the model as typed values, and parsing of its answers.
- ``companion.py``: one agent's modules.
- ``hypotheses.py``: claims confirmed or refuted by events, predictions, and trust in sources.
"""
