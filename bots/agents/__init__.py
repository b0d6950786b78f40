"""The kinds of agents. The kind of an agent decides how the agent uses its body, its briefing and
its model.
"""
