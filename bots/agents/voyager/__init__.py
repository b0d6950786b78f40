"""Voyager: an agent that sets itself tasks, writes a program for each, and keeps what works as
skills.

Several Voyager agents can share one world. Source: Wang et al., "Voyager" (2023).
"""
