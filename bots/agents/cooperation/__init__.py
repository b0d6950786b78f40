"""Modules that any kind of agent can carry beside its own mind, so that it can cooperate.

Source: Mosquera et al. (2024), section 7, who proposed them: understanding (rules of the world and
of others, found as hypotheses that events confirm), communication (questions, offers, answers and
how far they are trusted), a constitution and a reputation. What is binding, fined or counted is
not decided here: that is ``judge/``. What can be checked at all is the world's to say.

- ``known.py``: what the modules tell the mind that carries them.
- ``requests.py``: what a model is asked, as typed values, and how its answers are read.
- ``companion.py``: one agent's modules.
- ``hypotheses.py``: claims that events confirm or not, predictions, and trust in who said what.
"""
