"""Societies, in which many agents live on one clock."""
