"""People who play, and what is done to a run from outside while it goes on."""
