"""A constitution with laws, amendments and ballots, and what code takes from who breaks them."""
