"""Societies: many agents on one clock."""
