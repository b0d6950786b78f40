"""Cooperation modules, which agents of any game can carry."""
