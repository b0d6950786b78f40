"""How the kinds of scenarios are played, from a case to an entry of the result."""
