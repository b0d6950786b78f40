"""How coherent people are, and how a false statement spreads, by condition."""

from __future__ import annotations

import re
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any

from rich.table import Table

from voxpolis.experiments.loops.society.scenario import Institutions
from voxpolis.experiments.loops.society.society import SocietyRun
from voxpolis.experiments.run.scenario import Entry, Result
from voxpolis.experiments.run.tables import print_end, with_ci95
from voxpolis.records import events
from voxpolis.records.console import plain_console
from voxpolis.records.measures import mean_and_ci95
from voxpolis.records.text import caseless
from voxpolis.scenarios.coherence.scripted import RUMOUR
from voxpolis.worlds.trades import Report, TradeWorld

SOURCE = "Project Sid (Altera.AL 2024), coherence, figure 2"
#: Who repeated a rumour within so many seconds repeats it.
LATELY_S, LOOK_S = 120.0, 30.0
#: After so many seconds it is said who repeats it.
AFTER_S = 600.0
#: Words by which a rumour is known, however it is said.
_WHEAT = caseless(r"\bwheat\b[^.!?]*\bripe\b|\bripe\b[^.!?]*\bwheat\b")
_DENIED = caseless(r"\b(?:no|not|never|isn't|nothing|un)\b|n't\b|\bunripe\b|\?")
PUBLISHED: Mapping[str, str] = {
    "full": "what is said and what is done fit",
    "no_broadcast": "modules that do not share decisions contradict each other",
    "rumour": "action awareness stops what is not so",
    "rumour_unaware": "one hallucination leads to others, and they spread",
}
#: What of a run's measures the table shows: its name, the kind of words, and the share.
SHOWN = (("announced", "kept"), ("promised", "kept"), ("claimed", "denied"))


def repeats(text: str) -> bool:
    """Return whether an utterance says that the wheat is ripe."""
    return any(
        _WHEAT.search(part) and not _DENIED.search(part)
        for part in re.findall(r"[^.!?]+[.!?]?", text)
    )


class Watcher(Institutions):
    """Spreads a rumour, and watches who repeats it; see
    :class:`experiments.loops.society.scenario.Institutions`.
    """

    def __init__(self, run: SocietyRun, told: str, at_s: float) -> None:
        """``told``: who has it in its memory from ``at_s`` on; empty: there is no rumour."""
        assert isinstance(run.world, TradeWorld)
        self._run = run
        self._told = told
        self._at_s = at_s
        self._said: dict[str, float] = {}
        self._over_time: list[Entry] = []
        run.world.listeners.append(self._note)
        run.listeners.append(self._hear)

    def works(self) -> list[Coroutine[Any, Any, None]]:
        """Return what spreads a rumour and looks who repeats it, where there is one."""
        return [self._spread()] if self._told else []

    def outcome(self) -> Entry:
        """Return coherence; of a rumour the share that repeated it lately and ever, over time
        (``rumour``) and ten minutes after it began (``repeat``; at the end of shorter runs).
        """
        found: Entry = {"agents": len(self._run.agents), "coherence": self._run.coherence()}
        if not self._told:
            return found
        by_then = [one for one in self._over_time if one["after_s"] <= AFTER_S]
        repeat = by_then[-1]["lately"] if by_then else None
        return {**found, "rumour": self._over_time, "repeat": repeat}

    async def _spread(self) -> None:
        time = self._run.time
        await time.sleep(self._at_s, key=-1)
        agent = self._run.agents[self._told]
        agent.happened(RUMOUR)
        agent.memory.add(time.now(), RUMOUR, 1.0)
        self._run.note(events.MemoryInjected, self._told, text=RUMOUR)
        while True:
            await time.sleep(LOOK_S, key=-1)
            now, people = time.now(), len(self._run.agents)
            lately = sum(now - t <= LATELY_S for t in self._said.values())
            after_s = round(now - self._at_s, 1)
            self._over_time.append(
                {"after_s": after_s, "lately": lately / people, "ever": len(self._said) / people}
            )

    def _hear(self, speaker: str, text: str, _hearers: list[str]) -> None:
        if self._told and repeats(text):
            self._said[speaker] = self._run.time.now()

    def _note(self, report: Report) -> None:
        self._run.note(events.ActionDone, report.agent, **report.fields())


# --- Results --------------------------------------------------------------------------------------


def summary(entries: Sequence[Entry]) -> Result:
    """Return by condition, over the ``runs`` in which anybody acted, means with 95 % confidence
    intervals of the shares of announcements and promises kept and of claims denied, and of those
    who repeat a rumour after ten minutes.
    """
    names = dict.fromkeys(entry["condition"] for entry in entries)
    return {"conditions": {name: _of(entries, name) for name in names}}


def _of(entries: Sequence[Entry], name: str) -> Result:
    runs = [entry for entry in entries if entry["condition"] == name and entry["acted"]]
    found: Result = {"runs": len(runs)}
    for kind, share in SHOWN:
        found[kind] = mean_and_ci95([run["words_and_deeds"][kind][share] for run in runs])
    found["repeat"] = mean_and_ci95([run.get("repeat") for run in runs])
    return found


def show(result: Result) -> None:
    """Print measures beside what is published, which has no numbers."""
    table = Table(title=f"words and deeds; {result['mind']}")
    for column in ("condition", "runs", "announcements kept", "promises kept", "claims denied"):
        table.add_column(column, no_wrap=column == "condition")
    table.add_column("repeat the rumour")
    for name, found in result["conditions"].items():
        cells = [with_ci95(found[key], ".2f") for key in (*(k for k, _ in SHOWN), "repeat")]
        table.add_row(name, str(found["runs"]), *cells)
    console = plain_console()
    console.print(table)
    for name, text in PUBLISHED.items():
        if name in result["conditions"]:
            console.print(f"{name}, published ({SOURCE}): {text}", soft_wrap=True)
    print_end(console, result, "the source has no numbers for these")
