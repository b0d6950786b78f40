"""Measures the spread of a religion by what people say and where they are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from voxpolis.bots.models import Message
from voxpolis.bots.models.typed import Answer, each, integer, line
from voxpolis.bots.prompts import PromptFolder, quoted
from voxpolis.bots.values import REMEMBERED
from voxpolis.experiments.loops.society.scenario import Institutions
from voxpolis.experiments.loops.society.society import SocietyRun
from voxpolis.experiments.run.scenario import Entry, Result
from voxpolis.records import events
from voxpolis.records.console import plain_console, print_whole, table_of
from voxpolis.records.measures import mean_and_ci95
from voxpolis.records.text import caseless
from voxpolis.scenarios.religion.population import COUNTRY, Country
from voxpolis.worlds.society import Place

# --- Words of the faith, and memes: topics of people's goals --------------------------------------

# The keywords of Project Sid (Altera.AL 2024) with their inflections, as regular expressions: those
# of the faith, from which Pastafarianism is derived, and those of the food.
FAITH = r"pastafarian(?:s|ism)?|spaghetti[\s\u2010\u2011-]*monsters?"
FOOD = r"pastas?|spaghettis?"

# Topics and their words (regular expressions of whole words). The topics are from Project Sid
# (Altera.AL 2024), figure 11, without treasure and cooking; the words are ours.
WORDS: Mapping[str, str] = {
    "eco": r"eco|ecology|ecological(ly)?|eco-?friendly|sustainab(le|ly|ility)|environment(al)?|"
    r"recycl(e|es|ed|ing)|plant(ing)? (a |some |more )?trees?|green(er)? living",
    "dance": r"danc(e|es|ed|er|ers|ing)|music|musical|song|songs|concerts?",
    "meditation": r"meditat(e|es|ed|ing|ion|ions|ive)|mindful(ness|ly)?|inner peace|breathing",
    "prank": r"prank(s|ed|ing|ster|sters)?|practical jokes?|mischie(f|vous)",
    "treasure": r"treasures?|treasure ?hunt(s|ing|er|ers)?|buried (gold|chests?)",
    "cooking": r"cook(s|ed|ing|book|books)?|recipes?|bak(e|es|ed|ing)|cuisine|potlucks?",
    "talent show": r"talents?|talent ?shows?|auditions?",
    "volunteering": r"volunteer(s|ed|ing)?|charit(y|ies|able)|soup kitchens?",
    "vintage fashion": r"fashion(s|able)?|vintage|costumes?|outfits?|wardrobes?",
    "storytelling": r"storytell(er|ers|ing)|stor(y|ies)|tales?|legends?",
    "crafting": r"crafts?|crafted|crafting|handmade|potter(y)?|weav(e|es|ing)|knit(s|ting)?",
    "town hall": r"town ?halls?|town meetings?|assembl(y|ies)|council",
    "parody church": rf"{FAITH}|parody (church|religion)",
    "pasta": rf"{FOOD}|noodles?",
    "oak logs": r"oak[ _]logs?",
}
_FINDERS = {topic: caseless(rf"\b({words})\b") for topic, words in WORDS.items()}


@lru_cache(REMEMBERED)
def memes_in(text: str) -> tuple[str, ...]:
    """Return the memes (topics) that a text mentions as whole words. The word "become", for
    example, does not count as "eco".
    """
    return tuple(topic for topic, finder in _FINDERS.items() if finder.search(text))


SOURCE = "Project Sid (Altera.AL 2024), figures 11 and 12"
# Whole words of either level of conversion; the group matches those of the faith.
KEYWORDS = caseless(rf"\b(?:({FAITH})|{FOOD})\b")
# How often converts and the area of influence are sampled, in seconds.
SAMPLE_S = 300.0
AREA_CELL_BLOCKS = 4.0
# Maximum number of rows and towns in printed tables.
MOST_ROWS, MOST_TOWNS = 10, 8


@lru_cache(REMEMBERED)
def level_of(text: str) -> int:
    """Return which kind of convert an utterance shows: 2 for direct, 1 for indirect, 0 for none.

    Only whole words count: "antipasta" shows none.
    """
    return max((2 if found[1] else 1 for found in KEYWORDS.finditer(text)), default=0)


class Spread(Institutions):
    """Keeps track of who is a convert, as utterances show, and of the person from whom each person
    first heard of the faith.
    """

    def __init__(self, run: SocietyRun, country: Country, hearing_blocks: float) -> None:
        """Listen to all utterances in a country. ``hearing_blocks`` is how far people hear each
        other.
        """
        self._run = run
        self._country = country
        self._priests = set(country.priests)
        self._hearing_blocks = hearing_blocks
        self._level: dict[str, int] = {}
        self._first_heard: dict[str, str] = {}
        # Per person: how often it named only the food, and how often it named the faith.
        self._chats: dict[str, list[int]] = {}
        self._exposures = {1: 0, 2: 0}
        # Number of people who became direct converts after hearing of it.
        self._critical = 0
        self._counts: list[dict[str, Any]] = []
        run.listeners.append(self._hear)

    def works(self) -> list[Coroutine[Any, Any, None]]:
        return [self._sample()]

    def outcome(self) -> Entry:
        """Return the converts at the end and over time, how often people were exposed to the faith,
        and the memes in their goals.

        For each person whose goal is about a meme, ``meme_places`` contains the person's position
        (east, south) and the meme. ``keyword_chats`` contains, for each person, how often it named
        only the food and how often it named the faith.
        """
        if self._counts[-1]["t"] < self._run.time.now():
            self._take_sample()
        at = {name: self._run.world.position(name) for name in self._run.agents}
        first_memes = {n: memes_in(agent.goal)[:1] for n, agent in self._run.agents.items()}
        return {
            "agents": len(self._country.homes),
            "priests": len(self._priests),
            "treated": sorted(self._priests),
            **{name: count for name, count in self._counts[-1].items() if name != "t"},
            "exposures": sum(self._exposures.values()),
            "exposures_direct": self._exposures[2],
            "exposures_indirect": self._exposures[1],
            "critical_edges": self._critical,
            "over_time": self._counts,
            "memes_per_head": self._memes_per_head(),
            "meme_places": [(at[n][0], at[n][2], m) for n, own in first_memes.items() for m in own],
            "keyword_chats": dict(sorted(self._chats.items())),
        }

    def _hear(self, speaker: str, text: str, hearers: list[str]) -> None:
        level = level_of(text)
        if level > self._level.get(speaker, 0):
            self._level[speaker] = level
            is_priest = speaker in self._priests
            heard_from = None if is_priest else self._first_heard.get(speaker)
            place = self._run.world.position(speaker)
            told = {"position": place, "heard_from": heard_from, "believed": is_priest}
            self._run.note(events.Converted, speaker, level=level, **told)
            if level == 2 and heard_from is not None:
                self._critical += 1
        if level:
            self._chats.setdefault(speaker, [0, 0])[level - 1] += 1
            self._exposures[level] += len(hearers)
            for hearer in hearers:
                self._first_heard.setdefault(hearer, speaker)

    async def _sample(self) -> None:
        while True:
            self._take_sample()
            await self._run.time.sleep(SAMPLE_S, key=-1)

    def _take_sample(self) -> None:
        """Record the number of converts without the priests, the area in which at least one of
        these converts can be heard, and the memes of each town.
        """
        levels = [level for name, level in self._level.items() if name not in self._priests]
        memes: dict[str, Counter[str]] = defaultdict(Counter)
        for name, agent in self._run.agents.items():
            memes[self._country.homes[name]].update(memes_in(agent.goal))
        self._counts.append(
            {
                "t": round(self._run.time.now(), 1),
                "indirect": levels.count(1),
                "direct": levels.count(2),
                "area_blocks": self._area(2),
                "area_any_blocks": self._area(1),
                "memes": {town: dict(count) for town, count in sorted(memes.items())},
            }
        )

    def _memes_per_head(self) -> dict[str, float | None]:
        found, people = Counter[str](), Counter[str]()
        for home in self._country.homes.values():
            people["country" if home == COUNTRY else "towns"] += len(self._counts)
        for sample in self._counts:
            for town, memes in sample["memes"].items():
                found["country" if town == COUNTRY else "towns"] += sum(memes.values())
        return {
            kind: round(found[kind] / people[kind], 4) if people[kind] else None
            for kind in ("towns", "country")
        }

    def _area(self, level: int) -> float:
        world, priests = self._run.world, self._priests
        converts = (name for name, reached in self._level.items() if reached >= level)
        at = [world.position(name) for name in converts if name not in priests]
        return union_of_discs([(x, z) for x, _, z in at], self._hearing_blocks)


def union_of_discs(
    middles: Sequence[Place], radius: float, cell: float = AREA_CELL_BLOCKS
) -> float:
    """Return the area that is covered by at least one disc. The area is approximated by square
    cells; a cell counts if its centre is inside a disc.
    """
    reach = np.arange(-radius - cell, radius + cell, cell)
    dx, dz = np.meshgrid(reach, reach)
    covered: set[tuple[int, int]] = set()
    for x, z in middles:
        cx, cz = np.floor((x + dx) / cell), np.floor((z + dz) / cell)
        inside = ((cx + 0.5) * cell - x) ** 2 + ((cz + 0.5) * cell - z) ** 2 <= radius**2
        covered.update(
            zip(cx[inside].astype(int).tolist(), cz[inside].astype(int).tolist(), strict=True)
        )
    return len(covered) * cell * cell


# --- Results --------------------------------------------------------------------------------------


def summary(entries: Sequence[Entry]) -> Result:
    """Return the mean numbers of converts at the end, and the number of runs (``counted``)."""
    names = ("direct", "indirect")
    means = {name: mean_and_ci95([run[name] for run in entries])["mean"] for name in names}
    return {"mean": means, "counted": len(entries)}


def show(result: Result) -> None:
    """Print the number of converts over time, and the memes of each town."""
    console = plain_console()
    for run in result["runs"]:
        rows = run["over_time"]
        step = max(1, len(rows) // MOST_ROWS)
        names = ("t", "direct", "indirect", "area_blocks", "area_any_blocks")
        over_time = table_of(
            f"seed {run['seed']}, {run['agents']} agents, {result['mind']}",
            ("t, s", "direct converts", "indirect", "area, blocks²", "of any level"),
            [[f"{row[name]:g}" for name in names] for row in [*rows[:-1:step], rows[-1]]],
        )
        print_whole(console, over_time)
        memes = sorted({meme for count in run["memes"].values() for meme in count})
        if memes:
            towns = list(run["memes"].items())[:MOST_TOWNS]
            counts = [[town, *(str(count.get(meme, 0)) for meme in memes)] for town, count in towns]
            print_whole(
                console, table_of("topics of people's goals, by town", ["town", *memes], counts)
            )
        else:
            console.print("there was no goal about any of the memes")
        console.print(
            f"converts do not count the {run['priests']} priests; {run['exposures_direct']} direct "
            f"and {run['exposures_indirect']} indirect exposures, {run['critical_edges']} of them "
            "critical"
        )
        heads = {name: share for name, share in run["memes_per_head"].items() if share is not None}
        if heads:
            shares = ", ".join(f"{name} {share:.2f}" for name, share in heads.items())
            console.print(f"topics in goals per person: {shares}")
    if result["note"]:
        console.print(result["note"], soft_wrap=True)
    console.print(f"published: both counts are still rising at the end ({SOURCE})")


# --- Questions about a recorded country: who believes, and what did people care about? ------------

MOST_TOPICS, MOST_PERIODS, MOST_KEYWORDS = 15, 6, 4
# Maximum length of a keyword and of a topic's name, and maximum time in seconds.
MOST_CHARACTERS, LONGEST_S = 60, 10_000_000

messages = PromptFolder(Path(__file__).parent / "prompts").messages


class Believes(Answer):
    """Verdict on whether the speaker believes."""

    believes: bool


@dataclass(frozen=True)
class BelievesRequest:
    """Asks whether a speaker believes."""

    role: ClassVar[str] = "believes"
    of_record: ClassVar[bool] = True
    answer: ClassVar[type[Believes]] = Believes

    text: str

    def messages(self) -> list[Message]:
        return messages("believes", text=quoted(self.text))

    def read(self, answer: Believes) -> bool:
        return answer.believes


class Period(Answer):
    """A time in which the goals were about the same."""

    from_s: integer(0, LONGEST_S) = Field(description="The second at which it began.")  # type: ignore[valid-type]
    until_s: integer(0, LONGEST_S) = Field(description="The second at which it ended.")  # type: ignore[valid-type]
    about: line(200)  # type: ignore[valid-type]
    keywords: each(line(MOST_CHARACTERS), MOST_KEYWORDS, 1)  # type: ignore[valid-type]


class Summary(Answer):
    """Topics that a person cared about, in the order of time."""

    periods: each(Period, MOST_PERIODS, 1)  # type: ignore[valid-type]


@dataclass(frozen=True)
class SummaryRequest:
    """Asks for a summary of a person's goals. ``goals`` contains the time in seconds and the text
    of each goal.
    """

    role: ClassVar[str] = "summary"
    of_record: ClassVar[bool] = True
    answer: ClassVar[type[Summary]] = Summary

    goals: tuple[tuple[float, str], ...]

    def messages(self) -> list[Message]:
        goals = "\n".join(f"{t:.0f} s: {text}" for t, text in self.goals)
        return messages("summary", goals=goals, most=str(MOST_PERIODS))

    def read(self, answer: Summary) -> str:
        return "\n".join(
            f"- {one.from_s} s to {one.until_s} s: {one.about} [{', '.join(one.keywords)}]"
            for one in answer.periods
        )


class Topic(Answer):
    """A topic, and the words by which it is found in a person's goals."""

    name: line(MOST_CHARACTERS)  # type: ignore[valid-type]
    keywords: each(line(MOST_CHARACTERS), 20, 1)  # type: ignore[valid-type]


class Topics(Answer):
    """The topics that several people share; empty: they share none."""

    topics: each(Topic, MOST_TOPICS)  # type: ignore[valid-type]


@dataclass(frozen=True)
class TopicsRequest:
    """Asks for topics that many of the summaries share."""

    role: ClassVar[str] = "topics"
    of_record: ClassVar[bool] = True
    answer: ClassVar[type[Topics]] = Topics

    summaries: tuple[str, ...]

    def messages(self) -> list[Message]:
        people = enumerate(self.summaries, start=1)
        summaries = "\n".join(f"Person {number}:\n{text}" for number, text in people)
        return messages("topics", summaries=summaries, most=str(MOST_TOPICS))

    def read(self, answer: Topics) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        names: dict[str, str] = {}
        for one in answer.topics:
            words = found.setdefault(names.setdefault(one.name.casefold(), one.name), [])
            words += [word.lower() for word in one.keywords if word.lower() not in words]
        return found
