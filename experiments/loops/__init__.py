"""The game loops. Each loop plays one repetition and returns an entry of the result."""
