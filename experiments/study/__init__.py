"""Many runs: compare, sweep, estimate, bench, and check models."""
