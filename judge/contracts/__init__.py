"""Contracts between players: their text and clauses, their negotiation, and their settlement."""
