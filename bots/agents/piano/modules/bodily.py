"""Modules that every body needs; they do not ask a model."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from voxpolis.bots.agents.piano.agent import Agent
from voxpolis.records import events


def reflexes(agent: Agent) -> None:
    """Escape from threats, and let urgent notices interrupt the current action."""
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
    """Look around, and move heard utterances into memory.

    An agent always looks before it decides, speaks or sets a goal
    (:func:`bots.agents.piano.digest.digest`). No prompt therefore shows the inventory from before
    the last action.
    """
    agent.look()
    while agent.heard:
        heard = agent.heard.popleft()
        agent.working.append(heard.happened)
        agent.unjudged.append(heard)
        agent.memory.take(heard.memory)


def memory(agent: Agent) -> None:
    """Move the overflow of short-term memory into long-term memory, which forgets some of it."""
    agent.memory.consolidate()


def skill_execution(agent: Agent) -> Coroutine[Any, Any, None] | None:
    """Carry out the controller's decision, one step per tick."""
    return None if agent.task.is_done else agent.actions.carry_out(agent.task)
