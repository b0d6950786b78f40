"""The modules of a mind, which read and change the shared state.

A module that awaits something, such as an answer, is a coroutine function. One that never does is a
plain function, which is cheaper. One that sometimes does returns an awaitable or None.
:mod:`bots.agents.piano.society` lists the modules with their periods. A module that asks the mind
is next to its request: the typed value that its prompt is rendered from.
"""
