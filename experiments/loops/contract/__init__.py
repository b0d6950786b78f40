"""Contract games, in which players negotiate contracts, play episodes, and settle the contracts."""
