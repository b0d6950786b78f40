"""Minds: chat models, code-writing agents and their prompts. They do not know which server runs."""
