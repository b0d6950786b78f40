"""Games about a commons, in rounds of turns."""
