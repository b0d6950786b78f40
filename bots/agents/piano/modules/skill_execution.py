"""Skill execution: carries out what the controller decided, a little each time it runs."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from voxpolis.bots.agents.piano.agent import Agent


def run(agent: Agent) -> Coroutine[Any, Any, None] | None:
    """Do the next bit of the decision, if it is not done."""
    return None if agent.task.is_done else agent.actions.carry_out(agent.task)
