"""Curricula: agents that set their own tasks."""
