"""Contracts between players: text and clauses, negotiation, and settlement."""
