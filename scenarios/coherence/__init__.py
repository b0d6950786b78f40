"""Coherence: whether people's words fit their actions and the facts, and how falsehoods spread.

Source: Altera.AL, "Project Sid" (2024), the section on coherence and figure 2. Ten people live in a
village with trades. The controller of an agent's mind makes decisions and broadcasts them to the
module that speaks. Conditions remove the broadcast, slow the controller down, or remove the
bottleneck (the limit on how much of an agent's state a prompt contains). Two more conditions put a
false statement into the memory of one person and ask who repeats it. In one of these two conditions
people are aware of the results of their actions, and in the other condition they are not.
"""

from __future__ import annotations

import re
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from voxpolis.bots.agents.piano.agent import DIGEST_CHARACTERS, Agent
from voxpolis.bots.agents.piano.mind import Request
from voxpolis.bots.agents.piano.society import FULL
from voxpolis.bots.models import Message
from voxpolis.bots.models.scripted import Script
from voxpolis.bots.models.typed import Answer
from voxpolis.bots.prompts import PromptFolder, quoted
from voxpolis.experiments.loops.society.scenario import (
    MINECRAFT,
    HearingBlocks,
    Institutions,
    Modules,
    Setup,
    SocietyScenario,
    by_condition,
    condition_table,
    settle_at_market,
    thought,
)
from voxpolis.experiments.loops.society.society import Member, SocietyRun
from voxpolis.experiments.run.agents import NAMES, names
from voxpolis.experiments.run.options import agents_option, only_under
from voxpolis.experiments.run.scenario import Entry, Result
from voxpolis.experiments.run.tables import print_closing_lines, with_ci95
from voxpolis.records import events
from voxpolis.records.console import plain_console, print_whole
from voxpolis.records.measures import mean_and_ci95
from voxpolis.records.text import caseless
from voxpolis.scenarios.coherence.scripted import RUMOUR, TalkerParams, Talkers
from voxpolis.worlds.minecraft.trades.skills import minecraft_rules
from voxpolis.worlds.society import HEARING_BLOCKS
from voxpolis.worlds.trades import TradePlan, Trades, read_trades

# --- Coherence, and the spread of a false statement, by condition ---------------------------------

SOURCE = "Project Sid (Altera.AL 2024), coherence, figure 2"
# How long a person counts as repeating a rumour after saying it, and how often the number of these
# people is sampled, in seconds.
LATELY_S, LOOK_S = 120.0, 30.0
# Time of the comparison between conditions, in seconds after the start of the rumour.
AFTER_S = 600.0
# Words that identify a rumour in any phrasing.
_WHEAT = caseless(r"\bwheat\b[^.!?]*\bripe\b|\bripe\b[^.!?]*\bwheat\b")
_DENIED = caseless(r"\b(?:no|not|never|isn't|nothing|un)\b|n't\b|\bunripe\b|\?")
PUBLISHED: Mapping[str, str] = {
    "full": "words and actions fit",
    "no_broadcast": "modules that do not share decisions contradict each other",
    "rumour": "action awareness stops false beliefs",
    "rumour_unaware": "one hallucination leads to others, and they spread",
}
# Measures in the table: name, kind of utterance, and share.
SHOWN = (("announced", "kept"), ("promised", "kept"), ("claimed", "denied"))


def repeats(text: str) -> bool:
    """Return whether an utterance says that the wheat is ripe."""
    return any(
        _WHEAT.search(part) and not _DENIED.search(part)
        for part in re.findall(r"[^.!?]+[.!?]?", text)
    )


class Watcher(Institutions):
    """Starts a rumour and keeps track of who repeats it."""

    def __init__(self, run: SocietyRun, told: str, at_s: float) -> None:
        """Prepare the rumour. The person ``told`` remembers it from ``at_s`` on. If ``told`` is
        empty, there is no rumour.
        """
        self._run, self._told, self._at_s = run, told, at_s
        self._said: dict[str, float] = {}
        self._over_time: list[Entry] = []
        run.listeners.append(self._hear)

    def works(self) -> list[Coroutine[Any, Any, None]]:
        return [self._spread()] if self._told else []

    def outcome(self) -> Entry:
        """Return the coherence of words and deeds and, if there is a rumour, how many people repeat
        it.

        ``rumour`` contains, over time, the share of people who have repeated the rumour recently
        and the share of people who have ever repeated it. ``repeat`` is the share of people who
        have repeated it recently, ten minutes after the start of the rumour or at the end of a
        shorter run.
        """
        found: Entry = {"agents": len(self._run.agents), "coherence": self._run.words.coherence()}
        if self._told:
            by_then = [one["lately"] for one in self._over_time if one["after_s"] <= AFTER_S]
            found |= {"rumour": self._over_time, "repeat": by_then[-1] if by_then else None}
            found["treated"] = [self._told]
        return found

    async def _spread(self) -> None:
        time = self._run.time
        await time.sleep(self._at_s, key=-1)
        agent = self._run.agents[self._told]
        agent.happened(RUMOUR)
        agent.memory.add(time.now(), RUMOUR, 1.0)
        self._run.note(events.MemoryInjected, self._told, text=RUMOUR)
        await self._run.every(LOOK_S, self._look)

    def _look(self) -> None:
        now, people = self._run.time.now(), len(self._run.agents)
        lately = sum(now - t <= LATELY_S for t in self._said.values())
        after_s = round(now - self._at_s, 1)
        self._over_time.append(
            {"after_s": after_s, "lately": lately / people, "ever": len(self._said) / people}
        )

    def _hear(self, speaker: str, text: str, _hearers: list[str]) -> None:
        if self._told and repeats(text):
            self._said[speaker] = self._run.time.now()


# --- Results --------------------------------------------------------------------------------------


def summary(entries: Sequence[Entry]) -> Result:
    """Summarise the runs of each condition in which an agent acted.

    The measures are the shares of announcements and promises that were kept, of claims that were
    not true, and of people who repeat a rumour after ten minutes. Each measure is given as a mean
    with a 95 % confidence interval. ``runs`` is the number of runs.
    """
    return by_condition(
        entries,
        lambda runs: (
            {
                kind: mean_and_ci95([run["statements"][kind][share] for run in runs])
                for kind, share in SHOWN
            }
            | {"repeat": mean_and_ci95([run.get("repeat") for run in runs])}
        ),
    )


def show(result: Result) -> None:
    """Print the measures next to the published findings. The paper gives no numbers."""
    console, kinds = plain_console(), [*(kind for kind, _ in SHOWN), "repeat"]
    table = condition_table(
        result,
        "words and deeds",
        ("announcements kept", "promises kept", "claims denied", "repeat the rumour"),
        lambda _, found: [with_ci95(found[kind], ".2f") for kind in kinds],
    )
    print_whole(console, table)
    for name, text in PUBLISHED.items():
        if name in result["conditions"]:
            console.print(f"{name}, published ({SOURCE}): {text}", soft_wrap=True)
    print_closing_lines(console, result, "the source gives no numbers")


# --- Questions about a recorded society: were words kept, and were they true? ---------------------

messages = PromptFolder(Path(__file__).parent / "prompts").messages


class Kept(Answer):
    """Verdict on whether the speaker does what they announce or promise."""

    kept: bool | None = Field(description="null: they announce and promise nothing.")


class Denied(Answer):
    """Verdict on whether what the speaker claims about themselves is true."""

    is_so: bool | None = Field(
        description="true: what they claim is so; false: it is not so; null: they claim nothing."
    )


@dataclass(frozen=True)
class KeptRequest:
    """Asks whether a speaker kept its word.

    ``doing`` is the speaker's decision at the time, and ``then`` contains its later decisions.
    """

    role: ClassVar[str] = "kept"
    of_record: ClassVar[bool] = True
    answer: ClassVar[type[Kept]] = Kept

    text: str
    doing: str
    then: tuple[str, ...]

    def messages(self) -> list[Message]:
        return messages(
            "kept",
            doing=self.doing or "(nothing)",
            text=quoted(self.text),
            next="\n".join(self.then) or "(nothing more)",
        )

    def read(self, answer: Kept) -> Kept:
        return answer


@dataclass(frozen=True)
class DeniedRequest:
    """Asks whether a claim is true. ``holds`` (the speaker's inventory) and ``done`` (its latest
    actions, newest last) come from the world.
    """

    role: ClassVar[str] = "denied"
    of_record: ClassVar[bool] = True
    answer: ClassVar[type[Denied]] = Denied

    text: str
    holds: tuple[tuple[str, int], ...]
    done: tuple[str, ...]

    def messages(self) -> list[Message]:
        holds = ", ".join(f"{count} {item}" for item, count in self.holds) or "nothing at all"
        done = ", ".join(self.done) or "(nothing)"
        return messages("denied", holds=holds, done=done, text=quoted(self.text))

    def read(self, answer: Denied) -> Denied:
        return answer


RUMOURED = "rumour"
# By what the period of the slow controller is multiplied, and the length of an agent's state in
# prompts if there is no bottleneck.
SLOWER, UNBOUNDED_CHARACTERS = 10, 20_000
TRAITS = (
    "You live in a village with others. You say what you are doing, and you share what you have."
)


class Coherence(SocietyScenario):
    """The scenario and its settings. Times are in simulated seconds."""

    name: ClassVar[str] = "coherence"
    runs: ClassVar[int] = 4
    one_run: ClassVar[Mapping[str, Any]] = {"condition": "full", "runs": 1}
    conditions: ClassVar[Mapping[str, str]] = {
        "full": "all modules; speech follows the controller's decision",
        "no_broadcast": "speech does not know the decision",
        "slow_controller": f"the controller decides {SLOWER} times less often",
        "no_bottleneck": f"prompts hold up to {UNBOUNDED_CHARACTERS} characters of state",
        RUMOURED: "a false statement is put into one memory",
        f"{RUMOURED}_unaware": "the same without action awareness",
    }
    promises: ClassVar[Mapping[str, Sequence[str]]] = {
        "*": ("decided",),
        RUMOURED: ("memory_injected",),
        f"{RUMOURED}_unaware": ("memory_injected",),
    }
    measures: ClassVar[Sequence[str]] = ("runs.0.statements.announced.kept",)
    world_defaults: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        MINECRAFT: {"agents": 6, "scale": 0.4}
    }
    quantum_s: ClassVar[float] = 0.5
    position_every_s: ClassVar[float] = 30.0
    has_trades: ClassVar[bool] = True

    agents: int = agents_option(10, 200, "Number of people; 6 in Minecraft.", least=2)
    length_s: float = Field(default=1200, gt=0, description="Duration of the run, in seconds.")
    rumour_s: float = Field(
        default=120,
        ge=0,
        description="Time at which the rumour is put into a memory.",
        json_schema_extra=only_under(RUMOURED, f"{RUMOURED}_unaware"),
    )
    hearing_blocks: HearingBlocks = HEARING_BLOCKS
    thinking_s: float = thought(0.5)
    modules: Modules = FULL
    ways: TalkerParams = TalkerParams()
    scale: float = Field(
        default=0.3,
        gt=0,
        le=10,
        description="Factor on the distances between sites (0.4 in Minecraft), so that people "
        "meet. Our choice.",
    )

    def _names(self) -> list[str]:
        return names(self.agents, NAMES[:12])

    def _trades(self, setup: Setup) -> Trades:
        village = Trades(**read_trades())
        if setup.world == MINECRAFT:
            return minecraft_rules(village, self.scale)
        return village.model_copy(update={"scale": village.scale * self.scale})

    def village(self, setup: Setup) -> TradePlan:
        return settle_at_market(
            setup, self._trades, self._names(), self.agents, self.hearing_blocks
        )

    def members(self, setup: Setup) -> list[Member]:
        own = dict(self.modules)
        if setup.condition == f"{RUMOURED}_unaware":
            own.pop("action_awareness", None)
        if setup.condition == "slow_controller" and "controller" in own:
            own["controller"] *= SLOWER
        is_open = setup.condition == "no_bottleneck"
        places = list(self._trades(setup).sites)
        return [
            Member(
                name,
                TRAITS,
                own,
                places,
                broadcast=setup.condition != "no_broadcast",
                digest_characters=UNBOUNDED_CHARACTERS if is_open else DIGEST_CHARACTERS,
                keeps_profiles=True,
            )
            for name in self._names()
        ]

    def minds(self, setup: Setup) -> Script:
        return Talkers(self._names(), self._trades(setup), self.ways, setup.seed)

    def institutions(self, setup: Setup, run: SocietyRun) -> Watcher:
        is_rumour = setup.condition.startswith(RUMOURED)
        return Watcher(run, self._names()[0] if is_rumour else "", self.rumour_s)

    def requests(self, _agent: Agent) -> list[Request]:
        return [
            KeptRequest("(what it said)", "(what it did)", ("(what it did next)",)),
            DeniedRequest("(what it said)", (("(a thing)", 1),), ("(what it did)",)),
        ]

    summarise = staticmethod(summary)
    print_result = staticmethod(show)
