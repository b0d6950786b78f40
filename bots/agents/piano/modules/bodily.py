"""The modules that a body cannot do without; no model is asked."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from voxpolis.bots.agents.piano.agent import Agent
from voxpolis.records import events


def reflexes(agent: Agent) -> None:
    """Get away from what hurts, and let a bell interrupt what is being done."""
    threat = agent.body.threat()
    if threat is not None:
        agent.body.flee()
        agent.task.interrupt()
        agent.happened(f"I got away from {threat}")
        agent.note(events.ReflexFired, cause=threat)
    if agent.is_called:
        agent.is_called = False
        agent.task.reconsider()


def perception(agent: Agent) -> None:
    """Look around, and take what was heard into memory.

    An agent that decides, speaks or sets itself a goal looks first
    (:func:`bots.agents.piano.digest.digest`), so that no prompt tells of hands as they were before
    the last action.
    """
    agent.look()
    while agent.heard:
        heard = agent.heard.popleft()
        agent.working.append(heard.happened)
        agent.unjudged.append(heard)
        agent.memory.take(heard.memory)


def memory(agent: Agent) -> None:
    """Let short-term memory overflow into long-term memory, which forgets."""
    agent.memory.consolidate()


def skill_execution(agent: Agent) -> Coroutine[Any, Any, None] | None:
    """Carry out what the controller decided, one step each time it runs."""
    return None if agent.task.is_done else agent.actions.carry_out(agent.task)
