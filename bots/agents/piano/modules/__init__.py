"""The modules of a PIANO agent's mind, which read and change the agent's shared state.

A module is a plain function. If it has to wait for something, such as an answer, it returns what it
waits for (:data:`bots.time.Wait`). :mod:`bots.agents.piano.society` lists the modules with their
periods. A module that asks the mind defines its request, the structured data from which the prompt
is built, in the same file.
"""
