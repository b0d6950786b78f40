"""Grid games, played step by step."""
