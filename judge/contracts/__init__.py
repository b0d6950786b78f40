"""Contracts between players: texts and clauses, negotiation, and settlement by a judge."""
