"""The modules of a mind, which read and change the shared state.

A module that always awaits something, such as an answer, is a coroutine function. A module that
never awaits is a plain function, which is cheaper. A module that sometimes awaits returns an
awaitable or None. :mod:`bots.agents.piano.society` lists the modules with their periods. A file
with a module that asks the mind also defines the module's request: the typed value from which its
prompt is rendered.
"""
