"""Kinds of item ever held, over time, and how that compares with what is published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any

from rich.table import Table

from voxpolis.experiments.loops.society.scenario import Institutions
from voxpolis.experiments.loops.society.society import SocietyRun
from voxpolis.experiments.run.scenario import Entry, Result
from voxpolis.experiments.run.tables import print_end, with_ci95
from voxpolis.records import events
from voxpolis.records.console import plain_console, print_whole
from voxpolis.records.measures import mean_and_ci95
from voxpolis.worlds.trades import Report, TradeWorld
from voxpolis.worlds.village import Village
from voxpolis.worlds.wolves import WOLF, Wolves

SOURCE = "Project Sid (Altera.AL 2024), figures 4 and 5"
#: Hands are looked at so often, in seconds.
LOOK_S = 1.0
#: The technology tree of figure 4, in its order: an item of each step.
TREE = (
    *("wooden_pickaxe", "cobblestone", "stone_pickaxe", "coal", "raw_iron", "furnace"),
    *("iron_ingot", "iron_pickaxe", "raw_gold", "diamond", "emerald"),
)
#: What is published of each condition after 30 minutes (49 agents: after four hours).
PUBLISHED: Mapping[str, str] = {
    "full": "17 kinds on average, from fewer than 5 to 30-40; best ones above 70 in longer runs",
    "no_action_awareness": "fewer (no number)",
    "baseline": "fewest (no number)",
    "together": "49 agents: about 320 kinds after 4 h, diamonds at about 30 min",
}


class Observer(Institutions):
    """Watches hands and work; see :class:`experiments.loops.society.scenario.Institutions`."""

    def __init__(self, run: SocietyRun, danger: int, seed: int) -> None:
        """Watch people, among so many wolves."""
        assert isinstance(run.world, TradeWorld)
        self._run = run
        self._kinds: dict[str, set[str]] = {name: set() for name in run.agents}
        #: When each step of the tree was first reached by each, in seconds.
        self._reached: dict[str, dict[str, float]] = {item: {} for item in TREE}
        self._done, self._failed, self._lost = 0, 0, Counter[str]()
        self._wolves: Wolves | None = None
        if danger and isinstance(run.world, Village):
            self._wolves = Wolves(run.world, danger, seed, self._take)
        run.world.listeners.append(self._note)

    def works(self) -> list[Coroutine[Any, Any, None]]:
        """Return what looks at hands, and the wolves."""
        roaming = [] if self._wolves is None else [self._wolves.roam(self._run.time)]
        return [self._look(), *roaming]

    def outcome(self) -> Entry:
        """Return kinds ever held: ``items`` on average, ``kinds`` by agent, ``union`` of all;
        ``tree``: when half of all had an item of each step, and how many had; what was done.
        """
        counts = {name: len(kinds) for name, kinds in self._kinds.items()}
        return {
            "agents": len(counts),
            "items": sum(counts.values()) / len(counts),
            "fewest": min(counts.values()),
            "most": max(counts.values()),
            "union": len(set().union(*self._kinds.values())),
            "kinds": counts,
            "tree": {item: _step(times, len(counts)) for item, times in self._reached.items()},
            "actions_done": self._done,
            "actions_failed": self._failed,
            "items_lost": sum(self._lost.values()),
        }

    async def _look(self) -> None:
        """Look at what everybody holds, until cancelled."""
        while True:
            for name, agent in self._run.agents.items():
                self._saw(name, agent.body.inventory())
            await self._run.time.sleep(LOOK_S, key=-1)

    def _saw(self, name: str, held: Mapping[str, int]) -> None:
        """Take note of what somebody holds."""
        kinds = self._kinds[name]
        for item, count in held.items():
            if count > 0 and item not in kinds:
                kinds.add(item)
                self._run.note(events.ItemObtained, name, item=item, distinct=len(kinds))
                if item in self._reached:
                    self._reached[item][name] = round(self._run.time.now(), 1)

    def _note(self, report: Report) -> None:
        """Record what came of an action: what it brought may be used up a moment later."""
        self._run.note(events.ActionDone, report.agent, **report.fields())
        if report.ok:
            self._done += 1
            self._saw(report.agent, report.gained)
        else:
            self._failed += 1

    def _take(self, name: str, item: str) -> None:
        self._lost[name] += 1
        self._run.note(events.ThingsTaken, name, item=item, by=WOLF)


def _step(times: Mapping[str, float], agents: int) -> dict[str, float | None]:
    """Return the part of all that reached a step, and when the first and the half of them had."""
    order = sorted(times.values())
    half = -(-agents // 2)
    return {
        "share": len(order) / agents,
        "first_s": order[0] if order else None,
        "half_s": order[half - 1] if len(order) >= half else None,
    }


# --- Results --------------------------------------------------------------------------------------


def summary(entries: Sequence[Entry]) -> Result:
    """Return kinds of item by condition: means with 95 % confidence intervals over those of its
    runs (``runs``) in which anybody acted, and the fewest and most that anybody had.
    """
    names = dict.fromkeys(entry["condition"] for entry in entries)
    return {"conditions": {name: _of(entries, name) for name in names}}


def _of(entries: Sequence[Entry], name: str) -> Result:
    runs = [entry for entry in entries if entry["condition"] == name and entry["acted"]]
    return {
        "runs": len(runs),
        "items": mean_and_ci95([run["items"] for run in runs]),
        "union": mean_and_ci95([run["union"] for run in runs]),
        "fewest": min((run["fewest"] for run in runs), default=None),
        "most": max((run["most"] for run in runs), default=None),
    }


def show(result: Result) -> None:
    """Print kinds of item beside what is published."""
    table = Table(title=f"kinds of item that each ever held; {result['mind']}")
    for column in ("condition", "runs", "kinds, mean", "fewest to most", "kinds of all"):
        table.add_column(column)
    table.add_column(f"published ({SOURCE})")
    for name, found in result["conditions"].items():
        spread = "-" if found["most"] is None else f"{found['fewest']} to {found['most']}"
        means = [with_ci95(found[figure], ".1f") for figure in ("items", "union")]
        table.add_row(name, str(found["runs"]), means[0], spread, means[1], PUBLISHED[name])
    console = plain_console()
    print_whole(console, table)
    for run in result["runs"]:
        console.print(_work(run), soft_wrap=True)
    print_end(console, result, "land, order of kinds and rates are ours")


def _work(run: Entry) -> str:
    steps = [
        f"{item} {times['share']:.0%}" for item, times in run["tree"].items() if times["share"]
    ]
    lost = f", {run['items_lost']} items lost" if run["items_lost"] else ""
    done = f"{run['actions_done']} actions done, {run['actions_failed']} failed{lost}"
    return f"{run['condition']}, seed {run['seed']}: {done}; {', '.join(steps) or 'no step'}"
