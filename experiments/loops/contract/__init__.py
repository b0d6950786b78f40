"""Contract games: players negotiate, play episodes and settle their contracts."""
