"""The planner as an agent kind: one plan after another in whatever world takes plans."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import pytest

from tests.conftest import result_of, run_module
from tests.endpoint import completion, serving
from tests.saying import said_to
from voxpolis.bots.agents.code_writer import JAVASCRIPT
from voxpolis.bots.agents.planner.plan_program import plan_format
from voxpolis.bots.agents.planner.plans import Dump, GatherUntil, NextPlan, Signal, Wait
from voxpolis.bots.agents.planner.player import MAX_INSTANT_PLANS, NextPlanRequest
from voxpolis.bots.agents.protocol import AgentSetup, Briefing
from voxpolis.bots.agents.registry import KINDS
from voxpolis.bots.models import Completion, ScriptedModel
from voxpolis.bridge.protocol import RunResult
from voxpolis.records import read_record

WOOD = NextPlan(plan=GatherUntil(count=2, thing="wood"))


class Bench:
    """A body on which nothing takes time but to wait; it ends the player after some plans."""

    name, last = "Ada", None

    def __init__(self, plans=10):
        self.format = plan_format(["wood"], ["Ada", "Bo"])
        self.done = []
        self._plans = plans

    async def observe(self):
        return f"You did {len(self.done)} things."

    async def inventory(self):
        return {}

    async def act(self, policy, skills=None):
        if len(self.done) == self._plans:
            raise asyncio.CancelledError
        self.done.append(policy.strip())
        seconds = 5.0 if policy.startswith("WAIT") else 0.0
        logs = [f"{policy.strip()}: {'done' if seconds else 'no wood known'}"]
        return RunResult(status="done", error=None, logs=logs, seconds=seconds)


async def lived(body, answer):
    asked = []

    def script(request):
        asked.append(request)
        return answer(request)

    class Model:
        """A language model, whose answers are texts."""

        async def complete(self, request):
            said = script(request)
            return Completion(said if isinstance(said, str) else said.text(), "m")

    setup = AgentSetup(Briefing("Ada", "Wood counts.", "1. Share."), body, Model(), print)
    player = KINDS["planner"].make(setup)
    assert player.is_ready
    with contextlib.suppress(asyncio.CancelledError):
        await player.live()
    return asked


async def test_a_model_sees_what_came_of_its_last_plan():
    body = Bench(plans=3)
    asked = await lived(body, lambda _: WOOD)
    first, second = map(said_to, asked[:2])
    for part in ("Wood counts.", "1. Share.", "- GATHER: ", "You did 0 things.", "none yet"):
        assert part in first
    assert "Your last plan: GATHER 2 wood: no wood known" in second
    assert isinstance(asked[1].about, NextPlanRequest)
    assert asked[1].about.last.outcome == "no wood known"


async def test_plans_that_take_no_time_are_not_asked_for_without_end():
    body = Bench(plans=6)
    asked = await lived(body, lambda _: WOOD)
    instant = ["GATHER 2 wood"] * MAX_INSTANT_PLANS
    assert body.done == [*instant, "WAIT", *instant, "WAIT"]
    assert len(asked) == 5  # the fifth is never carried out


@pytest.mark.parametrize(
    "answer",
    [
        '{"plan": {"do": "GATHER", "count": 2, "thing": "gold", "keep": 0, "until": null}}',
        '{"plan": {"do": "REPEAT"}}',
        "GATHER 2 wood",
    ],
)
async def test_who_says_nothing_that_can_be_used_waits(answer):
    body = Bench(plans=2)
    await lived(body, lambda _: answer)
    assert body.done == ["WAIT", "WAIT"]


def test_a_body_that_takes_programs_cannot_be_driven():
    body = Bench()
    body.format = JAVASCRIPT
    setup = AgentSetup(Briefing("Ada", "", ""), body, ScriptedModel(lambda _: ""), print)
    with pytest.raises(TypeError, match="a body that takes code cannot carry out plans"):
        KINDS["planner"].make(setup)


# --- In an arena ---------------------------------------------------------------------------------


def play(out, *options, **environment):
    arguments = ["--world", "grid", "--agent", "planner", "--json", "--out", str(out), *options]
    return result_of(run_module("scenarios.double_vein", *arguments, timeout=280, **environment))


def test_a_scripted_policy_is_played_plan_by_plan(tmp_path):
    result = play(tmp_path, "--condition", "2")
    (run,) = result["runs"]
    assert [run["agents"][name]["reward"] for name in ("Gizmo", "Glitch")] == [39, 39]
    calls = [c for c in read_record(Path(result["run_dir"])).calls if c["role"] == "planner"]
    assert [c["answer"] for c in calls if c["agent"] == "Gizmo"][:4] == [
        NextPlan(plan=plan).text()
        for plan in (
            GatherUntil(count=1, thing="iron_pickaxe"),
            GatherUntil(count=12, thing="raw_iron"),
            Dump(count=1, thing="iron_pickaxe"),
            Signal(to="Glitch"),
        )
    ]


def test_a_language_model_plans_in_an_arena(tmp_path):
    goods = ((1, "iron_pickaxe"), (12, "raw_iron"), (6, "diamond"))
    wait = NextPlan(plan=Wait()).text()
    gathers = [NextPlan(plan=GatherUntil(count=n, thing=thing)).text() for n, thing in goods]
    answers = [*gathers, wait]
    asked = {"Gizmo": 0, "Glitch": 0}

    def reply(request):
        name = next(n for n in asked if f"You are {n}." in said_to(request["messages"]))
        asked[name] += 1
        plan = answers[min(asked[name], len(answers)) - 1]
        return 200, completion(plan if name == "Gizmo" else wait)

    with serving(reply) as endpoint:
        result = play(tmp_path, "--base-url", endpoint.url, OPENAI_API_KEY="key")
    (run,) = result["runs"]
    assert run["agents"]["Gizmo"] | {"transfer": 0} == {
        "iron": 12, "diamond": 6, "value": 72, "transfer": 0, "reward": 72
    }  # fmt: skip
    assert result["mind"] == "openai"
