"""Commons games, which are played in rounds of turns."""
