"""What agents do, claim and promise, as values that code can check."""
