"""Asking a mind: what it is told is bounded, and whatever it does harms nobody else.

A model that is slow, fails or talks nonsense makes its agent slow or silent; the fault is counted,
and the society goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from bots.models import BudgetError, ChatModel, ModelError
from bots.structured import AnswerError
from bots.agents.piano.agent import Agent
from bots.prompts import render

#: The bottleneck: no prompt tells more of the state than this.
DIGEST_CHARACTERS = 2000
HEARD, RECALLED = 6, 3
TEMPERATURE = 0.7
MAX_TOKENS = 400


class Thinker:
    """Asks a chat model for one agent after another's modules.

    ``seconds`` is how long a thought takes in simulated time; ``timeout_s`` how long the model has
    on the wall's clock (None: as long as it takes).
    """

    def __init__(self, model: ChatModel, seconds: float, timeout_s: float | None) -> None:
        self._model = model
        self._seconds = seconds
        self._timeout_s = timeout_s

    async def think(
        self,
        agent: Agent,
        role: str,
        read: Callable[[str], Any],
        prompt: str,
        values: Mapping[str, str],
    ) -> Any:
        """The answer as ``read`` reads it; None where there is none, which is counted.

        Raises:
            BudgetError: the run's budget is used up, which ends the run.
        """
        asked = render(prompt, **values)
        fault = ""
        try:
            answer = await agent.time.call(
                self._ask(agent.name, role, asked), self._seconds, agent.index
            )
            return read(answer)
        except BudgetError:
            raise
        except AnswerError as error:
            fault = f"nonsense: {error}"
        except TimeoutError:
            fault = "slow"
        except ModelError as error:
            fault = f"error: {error}"
        agent.faults[fault.split(":")[0]] += 1
        agent.note("mind_failed", role=role, message=fault)
        return None

    async def _ask(self, agent: str, role: str, asked: str) -> str:
        async with asyncio.timeout(self._timeout_s):
            message: Message = {"role": "user", "content": asked}
            completion = await self._model.complete(
                ChatRequest([message], role, agent, TEMPERATURE, MAX_TOKENS, about)
            )
        return completion.text


def digest(agent: Agent) -> str:
    """What the controller sees of the state: a bounded text, the newest first to stay."""
    seen, now = agent.seen, agent.time.now()
    held = ", ".join(f"{count} {item}" for item, count in sorted(seen.inventory.items()) if count)
    lines = [
        f"Time: {now:.0f} s. Place: {seen.place}. Near you: {', '.join(seen.near) or 'nobody'}.",
        f"You hold: {held or 'nothing'}.",
        *(f"{what}: {told}" for what, told in sorted(agent.beliefs.items())),
    ]
    if agent.goal:
        lines.append(f"Your goal: {agent.goal}")
    if agent.plan:
        lines.append(f"Your plan: {'; '.join(agent.plan)}")
    doing = "done" if agent.is_done else "not done yet"
    lines.append(f"Your last decision: {agent.decision.action} ({doing}).")
    lines += [f"Notice: {notice.text}" for notice in list(agent.notices)[-3:]]
    lines += [f"Happened: {text}" for text in list(agent.working)[-HEARD:]]
    recalled = agent.memory.recall(f"{agent.goal} {lines[0]}", now, RECALLED)
    lines += [f"Remember: {text}" for text in recalled]
    return "\n".join(lines)[:DIGEST_CHARACTERS]
