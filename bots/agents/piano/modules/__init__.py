"""The modules of a mind, one a file: ``run(agent)`` looks at the shared state and changes it.

A file is loaded by its name, which stands with its period in ``FULL``
(:mod:`bots.agents.piano.society`). A module that asks the mind has its request beside it: the typed
value that its prompt is rendered from.
"""
