"""Contract games: negotiate, play episodes, settle them."""
