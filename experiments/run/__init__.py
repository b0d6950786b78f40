"""One run: its options and command, its models, its record, and how it ends."""
