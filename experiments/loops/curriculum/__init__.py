"""Curricula, in which agents set their own tasks."""
