"""The kinds of agents. Each kind decides how an agent with a body, a briefing and a model lives."""
