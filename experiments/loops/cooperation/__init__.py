"""Modules of cooperation that agents of any game can carry."""
