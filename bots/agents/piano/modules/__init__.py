"""The modules of a mind, one a file: ``run(agent)`` looks at the shared state and changes it."""
