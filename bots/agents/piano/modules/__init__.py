"""The modules of a mind: each looks at the shared state and changes it.

A module that waits for something, as for an answer, is a coroutine function; one that never does
is a plain function, which costs less; one that does at times returns what is to be waited for, or
None. :mod:`bots.agents.piano.society` lists them with their periods. A module that asks the mind
has its request beside it: the typed value that its prompt is rendered from.
"""
