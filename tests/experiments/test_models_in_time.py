"""Games with simulated time send independent questions to a slow endpoint concurrently."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass

from tests.endpoint import serving, sleepy
from voxpolis.bots.models import ChatRequest
from voxpolis.bots.models.openai_model import OpenAIModel
from voxpolis.bots.time import SimulatedTime
from voxpolis.experiments.run import command, registry

# Latency of every answer: long compared with the game's computations.
LATENCY_S = 0.5
MOST = 1.3


def village_answer(request):
    """Answer any question to a village's people, including those about the vote."""
    text = "\n".join(message["content"] for message in request["messages"])
    answers = {
        "You decide what to do next": {"action": {"do": "REST"}, "about": "the weather"},
        "# You heard": {"likes": [], "believes": []},
        "You set yourself a goal": {"goal": "Rest."},
        "You make a plan": {"steps": ["Rest."]},
        "You think about what happened": {"insights": ["Rest."]},
        "You speak to": {"say": "I would like to rest."},
    }
    said = next((said for words, said in answers.items() if words in text), None)
    return "I would like to rest." if said is None else json.dumps(said)


class Asked:
    """Wall-clock times at which model calls start and end."""

    def __init__(self, monkeypatch) -> None:
        self.spans: list[tuple[float, float]] = []
        complete = OpenAIModel.complete

        async def watched(model: OpenAIModel, request: ChatRequest):
            began = time.monotonic()
            try:
                return await complete(model, request)
            finally:
                self.spans.append((began, time.monotonic()))

        monkeypatch.setattr(OpenAIModel, "complete", watched)

    @property
    def wall_s(self) -> float:
        return max(end for _, end in self.spans) - min(began for began, _ in self.spans)


@dataclass(eq=False)
class Call:
    """Game times of a call's start and answer; its task; wall-clock seconds."""

    began: float
    ended: float
    task: object
    seconds: float = 0.0


def longest_chain(calls: list[Call]) -> float:
    """Return the duration of the longest chain of calls, each answered before the next starts.

    Calls are ordered by game time. A question that starts at the moment of an answer depends on the
    answer if both belong to the same task.
    """
    chains: dict[Call, float] = {}
    for call in sorted(calls, key=lambda one: (one.began, one.ended)):
        before = (
            chain
            for other, chain in chains.items()
            if other.ended < call.began or (other.ended == call.began and other.task is call.task)
        )
        chains[call] = call.seconds + max(before, default=0.0)
    return max(chains.values())


def play(name, url, tmp_path, *settings, **options):
    values = {
        **{"mind": "openai", "base_url": url, "model": "m", "json_output": True, "out": tmp_path},
        **{"concurrency": 64, "runs": 1, "settings": settings, **options},
    }
    assert command.main(registry.scenario(name), values) == 0


def ratio(capsys, name: str, asked: Asked, chain_s: float) -> float:
    """Return wall-clock time relative to the longest chain, and print it."""
    # otherwise there are no calls that could run concurrently
    assert len(asked.spans) * LATENCY_S > 2 * chain_s
    found = asked.wall_s / chain_s
    with capsys.disabled():
        print(f"\n{name}: {len(asked.spans)} calls in {asked.wall_s:.1f} s, {found:.2f} chains")
    return found


def test_people_in_a_village_think_concurrently(tmp_path, monkeypatch, capsys):
    thinking_s = 0.5
    in_game: list[Call] = []
    call = SimulatedTime.call

    async def watched(self, answer, seconds, key=0):
        now = self.now()
        noted = Call(now, round(now + seconds, 6), asyncio.current_task())
        in_game.append(noted)

        async def timed():
            began = time.monotonic()
            try:
                return await answer
            finally:
                noted.seconds = time.monotonic() - began

        return await call(self, timed(), seconds, key)

    monkeypatch.setattr(SimulatedTime, "call", watched)
    modules = "modules={perception: 1, controller: 2, goals: 4, talking: 4, skill_execution: 1}"
    settings = ("length_s=5", f"thinking_s={thinking_s}", "agents=12", "stances=none", modules)
    asked = Asked(monkeypatch)
    with serving(sleepy(LATENCY_S, village_answer)) as endpoint:
        play("taxation", endpoint.url, tmp_path, *settings, condition="no_vote")
    assert ratio(capsys, f"taxation, {thinking_s=}", asked, longest_chain(in_game)) <= MOST
