"""Measure whether slow thoughts delay reflexes: ``python -m bots.agents.piano.bench --help``.

Agents with all modules live in real time, and their minds take seconds to answer. The benchmark
measures how much later than scheduled each agent's reflexes run.
"""

from __future__ import annotations

import asyncio
import gc
import json
import statistics
import time
from typing import Annotated, Any

import typer
from rich.table import Table

from voxpolis.bots.agents.piano.actions import ActionSet, Decide
from voxpolis.bots.agents.piano.agent import Agent
from voxpolis.bots.agents.piano.body import StandIn
from voxpolis.bots.agents.piano.mind import Mind
from voxpolis.bots.agents.piano.modules.goals import Goal
from voxpolis.bots.agents.piano.modules.planning import Plan
from voxpolis.bots.agents.piano.modules.self_reflection import Insights
from voxpolis.bots.agents.piano.modules.social_awareness import Opinions
from voxpolis.bots.agents.piano.modules.talking import Talk
from voxpolis.bots.agents.piano.society import FULL, Society
from voxpolis.bots.agents.piano.task import Action
from voxpolis.bots.models import ChatRequest, Completion
from voxpolis.bots.time import RealTime
from voxpolis.records import Clock
from voxpolis.records.command_line import CommandLine
from voxpolis.records.console import plain_console

app = CommandLine()


# The answer that the mind gives to each role's question.
ANSWERS = {
    "decide": Decide(action=Action("GO", place="work")),
    "social": Opinions(),
    "goal": Goal(goal="Hello."),
    "plan": Plan(steps=("Hello.",)),
    "reflect": Insights(insights=("Hello.",)),
    "talk": Talk(say="Hello."),
}


class SlowModel:
    """A chat model that answers after a fixed delay."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def complete(self, request: ChatRequest) -> Completion:
        await asyncio.sleep(self._seconds)
        return Completion(text="", model="slow", value=ANSWERS[request.role])


class Watched(StandIn):
    """A body that records how much later than scheduled its agent's reflexes run, in seconds."""

    def __init__(self) -> None:
        super().__init__("work", ("Ben", "Cora"), {"wheat": 5})
        self.late: list[float] = []
        self._last: float | None = None

    def threat(self) -> str | None:
        now = time.perf_counter()
        if self._last is not None:
            self.late.append(now - self._last - FULL["reflexes"])
        self._last = now
        return None


@app.command()
def bench(
    agents: Annotated[int, typer.Option(min=1, help="Number of agents.")] = 1000,
    thought_s: Annotated[
        float, typer.Option(min=0, help="Time of a model call, in seconds.")
    ] = 5.0,
    seconds: Annotated[
        float, typer.Option(min=1, help="Duration of the measurement, in seconds.")
    ] = 20.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print only one JSON object.")] = False,
) -> None:
    """Measure how late reflexes run while all minds are thinking."""
    measured = asyncio.run(_measure(agents, thought_s, seconds))
    if as_json:
        print(json.dumps(measured))
        return
    table = Table(box=None)
    for name in measured:
        table.add_column(name, justify="right")
    table.add_row(*(f"{value:g}" for value in measured.values()))
    plain_console().print(table)


async def _measure(count: int, thought_s: float, seconds: float) -> dict[str, Any]:
    here = RealTime(Clock(anchor=time.time()))
    society, actions = Society(here, 0), ActionSet()
    model = SlowModel(thought_s)
    bodies = [Watched() for _ in range(count)]
    for index, body in enumerate(bodies):
        name = f"A{index}"
        mind = Mind(model, name, index, here, _ignore, thinking_s=0.0, timeout_s=60.0)
        agent = Agent(
            name=name,
            traits="",
            index=index,
            body=body,
            time=here,
            mind=mind,
            actions=actions,
            note=_ignore,
        )
        society.add(agent, FULL)
    gc.freeze()
    await asyncio.sleep(seconds)
    await society.end()
    late = [1000 * max(0.0, value) for body in bodies for value in body.late]
    cuts = statistics.quantiles(late, n=100)
    return {
        "agents": count,
        "thought_s": thought_s,
        "reflexes": len(late),
        "late_p50_ms": round(cuts[49], 1),
        "late_p99_ms": round(cuts[98], 1),
        "late_max_ms": round(max(late), 1),
    }


def _ignore(_kind: object, **_fields: object) -> None:
    """Do nothing with the event."""


if __name__ == "__main__":
    app()
