"""The modules of a mind, one a file: ``run(agent)`` looks at the shared state and changes it.

A module that waits for something, as for an answer, is a coroutine function; one that never does is
a plain function, which costs less; one that does at times returns what to wait for, or None. A file
is loaded by its name, which stands with its period in ``FULL``
(:mod:`bots.agents.piano.society`). A module that asks the mind has its request beside it: the typed
value that its prompt is rendered from.
"""
