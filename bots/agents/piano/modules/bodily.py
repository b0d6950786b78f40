"""The modules that every body needs, and that never ask a model."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from voxpolis.bots.agents.piano.agent import Agent
from voxpolis.records import events


def reflexes(agent: Agent) -> None:
    """Escape from threats, and let an urgent notice interrupt the current action."""
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
    """Look around, and store in the agent's memory the utterances that it has heard.

    An agent also looks around before it decides, speaks or sets a goal
    (:func:`bots.agents.piano.digest.digest`). Therefore, prompts always show the inventory
    after the agent's last action.
    """
    agent.look()
    while agent.heard:
        heard = agent.heard.popleft()
        agent.working.append(heard.happened)
        agent.unjudged.append(heard)
        agent.memory.take(heard.memory)


def memory(agent: Agent) -> None:
    """Move memories from the full short-term part of the memory to the long-term part.

    The long-term part forgets unimportant memories.
    """
    agent.memory.consolidate()


def skill_execution(agent: Agent) -> Coroutine[Any, Any, None] | None:
    """Carry out one step of the action that the controller has chosen."""
    return None if agent.task.is_done else agent.actions.carry_out(agent.task)
