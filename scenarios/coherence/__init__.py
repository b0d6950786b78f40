"""Coherence: whether what people say fits what they do and what is so, and how falsehoods spread.

Source: Altera.AL, "Project Sid" (2024), coherence and figure 2. Ten people live in a village with
trades. An agent's controller decides, and its decision is broadcast to speech; what becomes of that
without the broadcast, with a slow controller, or without the bottleneck? And a false statement is
put into one memory: who repeats it, with and without action awareness?
"""

from voxpolis.scenarios.coherence.scenario import Coherence

__all__ = ["Coherence"]
