"""Agents' deeds, claims and promises, as values that code can check."""
