"""Studies of many runs: comparisons, sweeps, cost estimates, benchmarks, and checks of models."""
