"""Measures people's roles over time and their work, and compares them with published results."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict, deque
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from voxpolis.bots.models import Message
from voxpolis.bots.models.typed import Answer, AnswerError, each, line, narrowed, one_of
from voxpolis.bots.prompts import PromptFolder
from voxpolis.experiments.loops.society.scenario import Institutions, by_condition, condition_table
from voxpolis.experiments.loops.society.society import SocietyRun
from voxpolis.experiments.run.scenario import Entry, Result
from voxpolis.experiments.run.tables import print_closing_lines, with_ci95
from voxpolis.records import events
from voxpolis.records.console import plain_console, print_whole
from voxpolis.records.measures import mean_and_ci95
from voxpolis.records.text import caseless
from voxpolis.records.yaml_text import read_yaml
from voxpolis.worlds.trades import Report, TradeWorld

# --- Roles in social goals, by a lexicon, and the needs of societies ------------------------------

# Role of goals outside the lexicon.
OTHER = "other"


@dataclass(frozen=True)
class LexiconRole:
    """A role: the words by which it is recognised, the actions of its trade, and goals for scripted
    people.
    """

    words: re.Pattern[str]
    actions: tuple[str, ...]
    goals: tuple[str, ...]


@dataclass(frozen=True)
class Community:
    """A kind of village: its goal, and the share of its people that it needs in each role."""

    goal: str
    needs: Mapping[str, float]


@cache
def _file() -> tuple[Mapping[str, LexiconRole], Mapping[str, Community]]:
    fields = read_yaml(Path(__file__).parent / "roles.yaml")
    roles = {}
    for name, one in fields["roles"].items():
        forms = "|".join(re.escape(word).replace(r"\*", r"\w*") for word in one["words"])
        words = caseless(rf"\b(?:{forms})\b")
        roles[name] = LexiconRole(words, tuple(one["actions"]), tuple(one["goals"]))
    return roles, {name: Community(**one) for name, one in fields["societies"].items()}


def roles() -> Mapping[str, LexiconRole]:
    """Return the roles by name, in the order of the lexicon's file."""
    return _file()[0]


def communities() -> Mapping[str, Community]:
    """Return the kinds of village by name."""
    return _file()[1]


@cache
def _shown(goal: str) -> frozenset[str]:
    return frozenset(name for name, role in roles().items() if role.words.search(goal))


def role_of(goals: Sequence[str]) -> str:
    """Return the role that the goals show most often, or "other" if they show none. Among equally
    frequent roles, the first one in the lexicon is returned.
    """
    counts = Counter(name for goal in goals for name in _shown(goal))
    if not counts:
        return OTHER
    most = max(counts.values())
    return next(name for name in roles() if counts[name] == most)


@cache
def trades() -> Mapping[str, Sequence[str]]:
    """Return a dictionary from each action to the roles whose trade includes the action."""
    found: dict[str, list[str]] = {}
    for name, role in roles().items():
        for action in role.actions:
            found.setdefault(action, []).append(name)
    return found


SOURCE = "Project Sid (Altera.AL 2024), figures 8 and 9"
# A person's last five social goals show its role (Project Sid). Goals are sampled every 6 s,
# because they are made every 5 to 10 s; roles every 30 s.
GOALS, GOAL_S, ROLE_S = 5, 6.0, 30.0
# Published findings by condition; the paper's text gives no numbers.
PUBLISHED: Mapping[str, str] = {
    "normal": "farmers, miners, engineers, guards, explorers, blacksmiths; roles differ and last",
    "martial": "also scouts and strategists, which the others do not have",
    "art": "also curators and collectors, which the others do not have",
    "ablated": "roles are uniform, and do not last; entropy is lower",
}
FIGURES = ("entropy", "persistence")


class Observer(Institutions):
    """Keeps track of people's goals and work."""

    def __init__(self, run: SocietyRun) -> None:
        assert isinstance(run.world, TradeWorld)
        self._run = run
        self._goals: dict[str, deque[str]] = {name: deque(maxlen=GOALS) for name in run.agents}
        # Each citizen's role, every 30 s.
        self.roles: dict[str, list[str]] = {name: [] for name in run.agents}
        self._done: dict[str, Counter[str]] = defaultdict(Counter)
        self._looks = self._gifts = self._failed = self._succeeded = 0
        run.world.listeners.append(self._note)

    def works(self) -> list[Coroutine[Any, Any, None]]:
        return [self._run.every(GOAL_S, self._look)]

    def outcome(self) -> Entry:
        """Return people's roles at the end, how the roles are distributed, how long people keep
        them, and what people have done.

        ``actions`` counts actions by the role that the person had at that time. What people did
        before they had a role only counts in ``actions_done``.
        """
        last = [roles[-1] for roles in self.roles.values() if roles]
        return {
            "agents": len(self.roles),
            "roles": dict(Counter(last).most_common()),
            "entropy": entropy(last),
            "persistence": persistence(list(self.roles.values())),
            "distinct_roles": len(set(last)),
            "actions": {
                role: dict(done.most_common()) for role, done in sorted(self._done.items())
            },
            "exclusiveness": exclusiveness(self._done),
            "actions_done": self._succeeded,
            "actions_failed": self._failed,
            "gifts": self._gifts,
            "coherence": self._run.words.coherence(),
        }

    def _look(self) -> None:
        self._looks += 1
        for name, agent in self._run.agents.items():
            if agent.goal:
                self._goals[name].append(agent.goal)
        for name, goals in self._goals.items():
            if goals and self._looks % round(ROLE_S / GOAL_S) == 0:
                role = role_of(list(goals))
                self.roles[name].append(role)
                self._run.note(events.RoleTaken, name, role=role, goals=list(goals))

    def _note(self, report: Report) -> None:
        if not report.ok:
            self._failed += 1
            return
        self._succeeded += 1
        self._gifts += bool(report.to)
        if taken := self.roles[report.agent]:
            self._done[taken[-1]][report.action] += 1


# --- Measures -------------------------------------------------------------------------------------


def entropy(roles: Sequence[str]) -> float | None:
    """Return the Shannon entropy of the roles in bits, or None if there are none."""
    counts, total = Counter(roles), len(roles)
    if not total:
        return None
    return round(-sum(n / total * math.log2(n / total) for n in counts.values()) + 0.0, 6)


def persistence(over_time: Sequence[Sequence[str | None]]) -> float | None:
    """Return the share of steps, from one sample to the next, in which citizens keep their role.

    ``over_time`` contains the roles of each citizen, sampled every :data:`ROLE_S`. The result is
    None if there are no steps.
    """
    steps = [a == b for roles in over_time for a, b in pairwise(roles)]
    return round(sum(steps) / len(steps), 6) if steps else None


def exclusiveness(actions: Mapping[str, Mapping[str, int]]) -> float | None:
    """Return how exclusively actions belong to one role, or None if there are no actions.

    First, each role's counts of actions are divided by the role's total, which gives shares. For
    each action, the largest share that any role has is then divided by the sum of the shares that
    all roles have. The result is the mean over all actions.
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
    """Summarise entropy, persistence and the number of citizens in each role, by condition.

    The results are means with 95 % confidence intervals over the runs in which an agent acted;
    ``runs`` is their number.
    """

    def measure(runs: Sequence[Entry]) -> Result:
        found: Result = {name: mean_and_ci95([run[name] for run in runs]) for name in FIGURES}
        roles = dict.fromkeys(role for run in runs for role in run["roles"])
        found["roles"] = {
            role: mean_and_ci95([run["roles"].get(role, 0) for run in runs]) for role in roles
        }
        return found

    return by_condition(entries, measure)


def show(result: Result) -> None:
    """Print roles and entropies next to the published results."""

    def cells(_: str, measured: Result) -> list[str]:
        ordered = sorted(measured["roles"].items(), key=lambda pair: -pair[1]["mean"])
        roles = ", ".join(f"{role} {spread['mean']:.1f}" for role, spread in ordered)
        return [*(with_ci95(measured[figure], ".2f") for figure in FIGURES), roles]

    console, title = plain_console(), "final roles of the villagers"
    columns = ("entropy, bits", "persistence", "roles (people)")
    print_whole(console, condition_table(result, title, columns, cells, PUBLISHED, SOURCE))
    for run in result["runs"]:
        console.print(
            f"{run['condition']}, seed {run['seed']}: {run['actions_done']} actions done, "
            f"{run['actions_failed']} failed, {run['gifts']} gifts",
            soft_wrap=True,
        )
    print_closing_lines(console, result, "the source gives no numbers for these figures")


# --- Questions about a recorded village: roles that goals show, and synonyms of roles
# --------------

# Maximum length of a role's name.
MOST_CHARACTERS = 32

messages = PromptFolder(Path(__file__).parent / "prompts").messages


class Role(Answer):
    """The role that goals show."""

    role: line(MOST_CHARACTERS) = Field(description="One lower-case noun, such as farmer.")  # type: ignore[valid-type]


@dataclass(frozen=True)
class RoleRequest:
    """Asks for the role that a person's latest goals show. The newest goal comes last."""

    role: ClassVar[str] = "role"
    of_record: ClassVar[bool] = True
    answer: ClassVar[type[Role]] = Role

    goals: tuple[str, ...]

    def messages(self) -> list[Message]:
        return messages("role", goals="\n".join(self.goals))

    def read(self, answer: Role) -> str:
        word: str = answer.role.lower()
        if not word.replace("-", "").isalpha():
            raise AnswerError("role: one lower-case noun, such as farmer")
        return word


class Merge(Answer):
    """A word that another one replaces."""

    word: str
    into: str = Field(description="The word that replaces it.")


class Synonyms(Answer):
    """Which words mean the same role; empty: none do."""

    merges: each(Merge, 200)  # type: ignore[valid-type]


@dataclass(frozen=True)
class SynonymsRequest:
    """Asks which names of roles are synonyms."""

    role: ClassVar[str] = "synonyms"
    of_record: ClassVar[bool] = True
    answer: ClassVar[type[Synonyms]] = Synonyms

    words: tuple[str, ...]

    def messages(self) -> list[Message]:
        return messages("synonyms", words=", ".join(self.words))

    def narrow(self) -> type[Synonyms]:
        word = one_of(self.words, "word")
        return narrowed(Synonyms, merges=(each(narrowed(Merge, word=word, into=word), 200), ...))

    def read(self, answer: Synonyms) -> dict[str, str]:
        merged: dict[str, str] = {}
        for one in answer.merges:
            merged.setdefault(one.word, one.into)
        return {word: _last(word, merged) for word in self.words}


def _last(word: str, merged: Mapping[str, str]) -> str:
    """Return the word that remains after all replacements of a word.

    Raises:
        AnswerError: the replacements form a cycle.
    """
    seen, now = {word}, word
    while (other := merged.get(now, now)) != now:
        now = other
        if now in seen:
            raise AnswerError(f"{word} and {merged[word]} replace each other; keep one of them")
        seen.add(now)
    return now
