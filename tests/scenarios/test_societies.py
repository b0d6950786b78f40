"""Scripted persons use values and never read prompt texts; how a society ends."""

from __future__ import annotations

import asyncio
import re

import pytest

from voxpolis.bots import prompts
from voxpolis.bots.agents.piano.actions import ActionSet
from voxpolis.bots.models import Question
from voxpolis.experiments.loops.society.society import SocietyRun
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.command import prepare
from voxpolis.experiments.run.runner import play

SMALL = {
    "taxation": (
        *("agents=6", "influencers=2", "length_s=180", "first_season_s=20", "season_every_s=40"),
        *("feedback_s=45", "amendments_s=55", "vote_s=65", "tally_s=75", "enactment_s=85"),
    ),
    "religion": (
        *("agents=60", "length_s=600", "faith.conversion=0.5", "faith.speaking=1"),
        "modules={perception: 10, social_awareness: 10, goals: 60, planning: 60, controller: 30, "
        "talking: 20, self_reflection: 60, skill_execution: 30}",
    ),
    "sentiment": ("length_s=90", "talk_s=60", "agents=5", "society_s=900"),
    "coherence": ("agents=5", "length_s=120"),
    "specialisation": ("agents=6", "length_s=120", "trades.scale=0.3"),
    "adasociety contract-easy": ("length=150",),
    "crafting_tree adasociety": ("time_limit_s=300",),
    "double_vein negotiate": ("time_limit_s=60",),
    "cleanup 2": ("time_limit_s=60",),
}


async def result_of(case, out):
    name, _, condition = case.partition(" ")
    values = {"settings": SMALL[case], "out": out, "world": "grid"}
    values |= {"condition": condition} if condition else {"runs": 1}
    run = prepare(registry.scenario(name), values)
    code, result = await play(run)
    assert code == 0
    return result["runs"], (run.folder / "events.jsonl").read_text()


@pytest.mark.parametrize("case", SMALL)
async def test_scripted_persons_never_read_prompt_texts(case, tmp_path, monkeypatch):
    before = await result_of(case, tmp_path / "prose")
    read = prompts.template
    seen = []

    def wordless(path):
        """Return a prompt in which x replaces every word that is not a variable."""
        kept = r"\{\{\w+\}\}|(?m:^---$)|[^\s{}]+"
        text = re.sub(kept, lambda m: m[0] if m[0][:2] in ("{{", "--") else "x", read(path))
        seen.append(text)
        return text

    def write_at_once(question, prompt):
        """Render a prompt immediately, even if it is never read."""
        asked = prompt()
        question._messages = (
            [{"role": "user", "content": asked}] if isinstance(asked, str) else asked
        )

    monkeypatch.setattr(prompts, "template", wordless)
    monkeypatch.setattr(Question, "__init__", write_at_once)
    assert await result_of(case, tmp_path / "x") == before
    assert any("x x x" in text and "{{" in text for text in seen)


class ServerTime:
    """A server's clock without a server: it advances by a second with each query."""

    def __init__(self):
        self.t = 0.0

    def now(self):
        return self.t

    async def sleep(self, seconds, key=0):
        self.t += max(seconds, 0.1)
        await asyncio.sleep(0)

    def start(self, work):
        return asyncio.create_task(work)


@pytest.mark.parametrize("counting_s", [0.0, 30.0])
async def test_season_open_at_the_end_is_counted(counting_s):
    time = ServerTime()
    run = SocietyRun(None, time, None, None, ActionSet({}), seed=0, thinking_s=0, timeout_s=None,
                     position_every_s=None)  # fmt: skip
    open_since, counted = [], []

    async def season():
        while time.now() < 90:
            await time.sleep(0.1)
        open_since.append(time.now())
        while time.now() < 100 + counting_s:
            await time.sleep(0.1)
        counted.append(time.now())

    await run.run_for(100, [season()], lambda: bool(open_since) and not counted)
    assert counted
    assert time.now() == pytest.approx(100 + counting_s, abs=5)


async def test_failing_count_ends_the_society():
    time = ServerTime()
    run = SocietyRun(None, time, None, None, ActionSet({}), seed=0, thinking_s=0, timeout_s=None,
                     position_every_s=None)  # fmt: skip

    async def season():
        while time.now() < 100:
            await time.sleep(0.1)
        raise ValueError("the chest is gone")

    with pytest.raises(ValueError, match="the chest is gone"):
        await run.run_for(100, [season()], lambda: True)
