"""Agent kinds: how each lives, given a body, a briefing and a model."""
