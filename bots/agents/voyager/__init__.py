"""Voyager: curriculum, action, critic and skill library, for one agent or many in one world.

Source: Wang et al., "Voyager" (2023).
"""
