"""Roles over time, what each does, and how that compares with what is published."""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from collections.abc import Coroutine, Mapping, Sequence
from itertools import pairwise
from typing import Any

from rich.table import Table

from voxpolis.experiments.loops.society.scenario import Institutions
from voxpolis.experiments.loops.society.society import SocietyRun
from voxpolis.experiments.run.scenario import Entry, Result
from voxpolis.experiments.run.tables import print_end, with_ci95
from voxpolis.records import events
from voxpolis.records.console import plain_console
from voxpolis.records.measures import mean_and_ci95
from voxpolis.scenarios.specialisation.roles import role_of
from voxpolis.worlds.trades import Report, TradeWorld

SOURCE = "Project Sid (Altera.AL 2024), figures 8 and 9"
#: A role is what the last five social goals show (Project Sid). Goals are looked at every 6 s, as
#: they are made every 5 to 10 s; roles every 30 s.
GOALS, GOAL_S, ROLE_S = 5, 6.0, 30.0
#: What is published of each society; there are no numbers in the text.
PUBLISHED: Mapping[str, str] = {
    "normal": "farmers, miners, engineers, guards, explorers, blacksmiths; roles differ and last",
    "martial": "also scouts and strategists, which the others do not have",
    "art": "also curators and collectors, which the others do not have",
    "ablated": "roles are uniform, and do not last; entropy is lower",
}
FIGURES = ("entropy", "persistence")


class Observer(Institutions):
    """Watches goals and work; see :class:`experiments.loops.society.scenario.Institutions`."""

    def __init__(self, run: SocietyRun) -> None:
        """Watch a village with trades."""
        assert isinstance(run.world, TradeWorld)
        self._run = run
        self._goals: dict[str, deque[str]] = {name: deque(maxlen=GOALS) for name in run.agents}
        #: Each citizen's role, every 30 s.
        self.roles: dict[str, list[str]] = {name: [] for name in run.agents}
        self._done: dict[str, Counter[str]] = defaultdict(Counter)
        self._gifts: Counter[tuple[str, str]] = Counter()
        self._failed = self._succeeded = 0
        run.world.listeners.append(self._note)

    def works(self) -> list[Coroutine[Any, Any, None]]:
        """Return what looks at goals."""
        return [self._look()]

    def outcome(self) -> Entry:
        """Return roles at the end, how they are spread and how long they last, and what is done:
        ``actions`` by the role that each had then; who has none yet is in ``actions_done`` alone.
        """
        last = [roles[-1] for roles in self.roles.values() if roles]
        by_role: dict[str, Counter[str]] = defaultdict(Counter)
        for role, done in self._done.items():
            by_role[role].update(done)
        return {
            "agents": len(self.roles),
            "roles": dict(Counter(last).most_common()),
            "entropy": entropy(last),
            "persistence": persistence(list(self.roles.values())),
            "distinct_roles": len(set(last)),
            "actions": {role: dict(done.most_common()) for role, done in sorted(by_role.items())},
            "exclusiveness": exclusiveness(by_role),
            "actions_done": self._succeeded,
            "actions_failed": self._failed,
            "gifts": sum(self._gifts.values()),
            "coherence": self._run.coherence(),
        }

    async def _look(self) -> None:
        """Keep goals, and note roles, until cancelled."""
        time, every = self._run.time, round(ROLE_S / GOAL_S)
        looks = 0
        while True:
            await time.sleep(GOAL_S, key=-1)
            looks += 1
            for name, agent in self._run.agents.items():
                if agent.goal:
                    self._goals[name].append(agent.goal)
            if looks % every == 0:
                self._take_roles()

    def _take_roles(self) -> None:
        for name, goals in self._goals.items():
            if goals:
                role = role_of(list(goals))
                self.roles[name].append(role)
                self._run.note(events.RoleTaken, name, role=role, goals=list(goals))

    def _note(self, report: Report) -> None:
        """Record what came of an action."""
        self._run.note(events.ActionDone, report.agent, **report.fields())
        if not report.ok:
            self._failed += 1
            return
        self._succeeded += 1
        if report.to:
            self._gifts[report.agent, report.to] += 1
        taken = self.roles[report.agent]
        if taken:
            self._done[taken[-1]][report.action] += 1


# --- Measures -------------------------------------------------------------------------------------


def entropy(roles: Sequence[str]) -> float | None:
    """Return the Shannon entropy of some roles in bits; None of nothing."""
    counts, total = Counter(roles), len(roles)
    if not total:
        return None
    return round(-sum(n / total * math.log2(n / total) for n in counts.values()) + 0.0, 6)


def persistence(over_time: Sequence[Sequence[str]]) -> float | None:
    """Return the share of steps at which a role is the one before; None without any step.

    ``over_time``: the roles of each citizen, one every :data:`ROLE_S`.
    """
    steps = [a == b for roles in over_time for a, b in pairwise(roles)]
    return round(sum(steps) / len(steps), 6) if steps else None


def exclusiveness(actions: Mapping[str, Mapping[str, int]]) -> float | None:
    """Return how far actions belong to one role: the greatest share that a role has of each,
    after counts are made shares within roles, on average over actions; None without any.
    """
    totals = {role: sum(done.values()) for role, done in actions.items()}
    shares: dict[str, list[float]] = defaultdict(list)
    for role, done in actions.items():
        for action, count in done.items():
            shares[action].append(count / totals[role])
    most = [max(found) / sum(found) for found in shares.values()]
    return round(sum(most) / len(most), 6) if most else None


# --- Results --------------------------------------------------------------------------------------


def summary(entries: Sequence[Entry]) -> Result:
    """Return entropy, persistence and the number of citizens in each role by condition: means with
    95 % confidence intervals over those of its runs (``runs``) in which anybody acted.
    """
    names = dict.fromkeys(entry["condition"] for entry in entries)
    return {"conditions": {name: _of(entries, name) for name in names}}


def _of(entries: Sequence[Entry], name: str) -> Result:
    runs = [entry for entry in entries if entry["condition"] == name and entry["acted"]]
    found: Result = {"runs": len(runs)} | {
        figure: mean_and_ci95([run[figure] for run in runs]) for figure in FIGURES
    }
    roles = dict.fromkeys(role for run in runs for role in run["roles"])
    found["roles"] = {
        role: mean_and_ci95([run["roles"].get(role, 0) for run in runs]) for role in roles
    }
    return found


def show(result: Result) -> None:
    """Print roles and entropies beside what is published."""
    table = Table(title=f"roles of a village's people at the end; {result['mind']}")
    for column in ("condition", "runs", "entropy, bits", "persistence", "roles (people)"):
        table.add_column(column, no_wrap=column in ("condition", "entropy, bits"))
    table.add_column(f"published ({SOURCE})")
    for name, found in result["conditions"].items():
        ordered = sorted(found["roles"].items(), key=lambda pair: -pair[1]["mean"])
        roles = ", ".join(f"{role} {spread['mean']:.1f}" for role, spread in ordered)
        cells = [with_ci95(found[figure], ".2f") for figure in FIGURES]
        table.add_row(name, str(found["runs"]), *cells, roles, PUBLISHED.get(name, "-"))
    console = plain_console()
    console.print(table)
    for run in result["runs"]:
        console.print(_work(run), soft_wrap=True)
    print_end(console, result, "the text of the source has no numbers for these figures")


def _work(run: Entry) -> str:
    return (
        f"{run['condition']}, seed {run['seed']}: {run['actions_done']} actions done, "
        f"{run['actions_failed']} failed, {run['gifts']} gifts"
    )
