"""Agents that answer with one plan after another, out of a fixed vocabulary."""
