"""Commons games, played in rounds of turns."""
