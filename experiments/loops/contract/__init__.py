"""Games under a contract: negotiate, play episodes, judge them."""
