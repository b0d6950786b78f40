"""Cooperation modules, which the agents of any game can carry."""
