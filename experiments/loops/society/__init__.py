"""Societies: many agents who live together on one clock."""
