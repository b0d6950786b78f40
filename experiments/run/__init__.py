"""Runs: options and command, models, record, and outcomes."""
