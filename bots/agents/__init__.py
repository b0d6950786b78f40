"""The kinds of agents: how each lives, given a body, a briefing and a model."""
