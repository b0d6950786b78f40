"""What agents did, and what they claimed and promised, as values that code can check."""
