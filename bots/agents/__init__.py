"""The kinds of agents. Agents of different kinds use their bodies, briefings and models in
different ways.
"""
