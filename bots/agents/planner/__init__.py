"""Planners: agents that answer with one plan at a time, from a fixed vocabulary."""
