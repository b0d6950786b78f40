"""The headless world: the same games as arrays."""
