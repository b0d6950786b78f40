"""Cooperation modules, which an agent of any kind can have in addition to its own mind.

Source: Mosquera et al. (2024), section 7, which proposes four modules: understanding (hypotheses
about the world and other agents, tested against events), communication (questions, offers, answers,
and trust in other agents' claims), a constitution and a reputation. The package ``judge/`` decides
which promises are binding, imposes fines and counts the agents' deeds. The world defines which
claims can be checked.

- ``knowledge.py``: the knowledge that the modules add to the prompts of an agent.
- ``requests.py``: the questions to the model as structured data, and the parsing of its answers.
- ``companion.py``: the modules of one agent.
- ``hypotheses.py``: claims that events confirm or refute, predictions, and trust in sources.
"""
