"""Acts, claims and promises of agents, as values that code can check."""
