"""Agents that set themselves tasks, in a world of their own."""
