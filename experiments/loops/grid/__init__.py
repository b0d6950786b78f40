"""Grid games, which are played step by step."""
