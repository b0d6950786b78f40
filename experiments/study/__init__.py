"""Studies of many runs: compare, sweep, estimate, bench, and check models."""
