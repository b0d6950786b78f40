"""A constitution with laws, amendments and ballots, and the penalties that code applies."""
