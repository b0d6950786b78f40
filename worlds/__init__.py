"""Worlds: where scenarios are played, behind one protocol (``worlds/protocol.py``)."""
