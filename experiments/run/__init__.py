"""Runs: their options and commands, models, record, and outcome."""
