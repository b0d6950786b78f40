"""People who play, and people who intervene in a run while it is running."""
