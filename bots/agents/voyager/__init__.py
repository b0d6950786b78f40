"""Voyager: an agent that sets itself tasks and keeps programs that work as skills.

Several Voyager agents can share one world. Source: Wang et al., "Voyager" (2023).
"""
