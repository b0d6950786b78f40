"""The game loops. Each loop plays one case of a scenario and returns an entry for the result."""
