"""The modules of a PIANO agent's mind, which read and change the agent's shared state.

A module that always waits for something, such as an answer, is a coroutine function. A module that
never waits is a plain function, which is cheaper. A module that sometimes waits is a plain function
that returns an awaitable or None. :mod:`bots.agents.piano.society` lists the modules with their
periods. A module that asks the mind defines its request, the structured data from which the prompt
is built, in the same file.
"""
