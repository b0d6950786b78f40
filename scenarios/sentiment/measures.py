"""Measures how closely feelings follow what people say, and how closely food follows feelings."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any

import numpy as np
from rich.table import Table

from voxpolis.bots.agents.piano import Agent, Insight
from voxpolis.experiments.loops.society.scenario import Institutions, by_condition, condition_table
from voxpolis.experiments.loops.society.society import SocietyRun
from voxpolis.experiments.run.scenario import Entry, Result
from voxpolis.experiments.run.tables import print_closing_lines
from voxpolis.records import events
from voxpolis.records.console import plain_console, table_of
from voxpolis.records.measures import known_mean, student_quantile
from voxpolis.scenarios.sentiment.lexicon import NEUTRAL, line_of, score_of
from voxpolis.scenarios.sentiment.scripted import Personality
from voxpolis.worlds.trades import Report, TradeWorld

# How often feelings are sampled, and lags behind the moods at which they are compared, in seconds.
SCORE_S, LAGS_S = 30.0, (0.0, 30.0, 60.0)
# Sign of each mood.
SIGNS: Mapping[str, int] = {
    "affection": 1,
    "pleasant": 1,
    "neutral": 0,
    "annoyance": -1,
    "hostility": -1,
}


class Scores(Institutions):
    """Samples how one agent feels about other people, from the profiles that the agent wrote about
    them.
    """

    def __init__(self, run: SocietyRun, observer: str, others: Sequence[str]) -> None:
        self._run, self._observer = run, observer
        # By other person: times and the observer's feelings.
        self.over_time: dict[str, list[tuple[float, float]]] = {name: [] for name in others}

    def works(self) -> list[Coroutine[Any, Any, None]]:
        return [self._run.every(SCORE_S, self._look)]

    def _look(self) -> None:
        profiles = self._run.agents[self._observer].profiles or {}
        for name, found in self.over_time.items():
            text = profiles.get(name, "")
            score = score_of(text)
            found.append((self._run.time.now(), score))
            told = {"about": name, "score": score, "text": text}
            self._run.note(events.ProfileScored, self._observer, **told)


class TalkObserver(Scores):
    """Lets speakers speak, and samples a listener's feelings about them."""

    def __init__(
        self,
        run: SocietyRun,
        listener: str,
        phases: Mapping[str, Sequence[str]],
        talk_s: float,
        line_s: float,
        seed: int,
    ) -> None:
        """Prepare the talk. ``phases`` contains the moods of each speaker; ``talk_s`` is divided
        into phases of equal length.
        """
        super().__init__(run, listener, list(phases))
        self._phases, self._talk_s, self._line_s = phases, talk_s, line_s
        self._rng = random.Random(f"{seed} talk")

    def works(self) -> list[Coroutine[Any, Any, None]]:
        return [self._speak(), *super().works()]

    def outcome(self) -> Entry:
        found = {}
        for name, moods in self._phases.items():
            during = [(t, score) for t, score in self.over_time[name] if t <= self._talk_s]
            found[name] = {
                "scores": during,
                "moods": [sign_before(moods, self._talk_s, t) for t, _ in during],
                **follows(during, moods, self._talk_s),
            }
        return {"speakers": found, "r": found["Lila"]["r"]}

    async def _speak(self) -> None:
        """Let the speakers take turns until ``talk_s`` is over. Each speaker speaks every
        ``line_s`` seconds.
        """
        pause, latest = self._line_s / len(self._phases), dict[str, str]()
        while self._run.time.now() < self._talk_s:
            for name, moods in self._phases.items():
                part = math.floor(self._run.time.now() / self._talk_s * len(moods))
                mood = moods[min(part, len(moods) - 1)]
                if latest.get(name) != mood:
                    latest[name] = mood
                    self._run.note(events.Prescribed, name, numbers={"mood": SIGNS[mood]})
                self._run.say(name, line_of(mood, self._rng))
                await self._run.time.sleep(pause, key=-1)


class ChefObserver(Scores):
    """Keeps track of who receives food, and of the chef's feelings about the customers."""

    def __init__(self, run: SocietyRun, chef: str, customers: Sequence[str]) -> None:
        super().__init__(run, chef, customers)
        self._received = Counter(dict.fromkeys(customers, 0))
        assert isinstance(run.world, TradeWorld)
        run.world.listeners.append(self._note)

    def outcome(self) -> Entry:
        customers = {}
        for name, scores in self.over_time.items():
            felt = known_mean(score for _, score in scores)
            score = round(NEUTRAL if felt is None else felt, 4)
            customers[name] = {"items": self._received[name], "score": score}
        found = regression(
            *([one[key] for one in customers.values()] for key in ("score", "items"))
        )
        return {"customers": customers, **found, "coherence": self._run.words.coherence()}

    def _note(self, report: Report) -> None:
        if report.ok and report.agent == self._observer and report.to in self._received:
            self._received[report.to] += sum(report.spent.values())


# --- Measures -------------------------------------------------------------------------------------


def sign_before(moods: Sequence[str], talk_s: float, t: float) -> int:
    """Return the sign (:data:`SIGNS`) of a speaker's mood just before the time ``t``."""
    return SIGNS[moods[max(math.ceil(t / talk_s * len(moods)) - 1, 0)]]


def follows(scores: Sequence[tuple[float, float]], moods: Sequence[str], talk_s: float) -> Result:
    """Correlate a listener's scores with the speaker's earlier moods, for several lags in time.

    The result contains the largest correlation ``r`` and its lag ``lag_s``. Scores after ``talk_s``
    are ignored.
    """
    best: Result = {"r": None, "lag_s": None}
    for lag in LAGS_S:
        compared = [(t, score) for t, score in scores if lag < t <= talk_s]
        signs = [sign_before(moods, talk_s, t - lag) for t, _ in compared]
        r = correlation([score for _, score in compared], signs)
        if r is not None and (best["r"] is None or r > best["r"]):
            best = {"r": r, "lag_s": lag}
    return best


def correlation(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Return Pearson's r, or None if it is undefined."""
    if len(x) < 3 or len(set(x)) < 2 or len(set(y)) < 2:
        return None
    return round(float(np.corrcoef(x, y)[0, 1]), 6)


def regression(x: Sequence[float], y: Sequence[float]) -> Result:
    """Return the least-squares regression of y on x as ``slope`` and ``intercept``, and Pearson's
    ``r``. Numbers that are undefined are None.
    """
    line: Sequence[float | None] = (None, None)
    if len(x) >= 3 and len(set(x)) > 1:
        line = [round(float(number), 6) for number in np.polyfit(x, y, 1)]
    return {"slope": line[0], "intercept": line[1], "r": correlation(x, y)}


# --- The society of fifty -------------------------------------------------------------------------
#
# Source: Altera.AL, "Project Sid" (2024), figure 7 and tables 1 and 2. The village is that of
# ``worlds/trades/village.yaml``; homes and rates of speech are ours.

# Minimum number of observers for comparing perceived likeability; figure 7 uses 5.
OBSERVERS = range(1, 12)
SHOWN_OBSERVERS = 5
# Number of samples per life (every 30 minutes of 4 hours, Project Sid).
LOOKS = 8
# Confidence level of the intervals of slopes in results.
CONFIDENCE = 0.95

# Observer, observed → score, 0 (hate) to 10 (love).
Scored = Mapping[tuple[str, str], float]


class Opinions(Institutions):
    """Samples the opinions that all people have of each other."""

    def __init__(self, run: SocietyRun, people: Sequence[Personality], life_s: float) -> None:
        self._run, self._people, self._every_s = run, people, life_s / LOOKS
        self._over_time: list[Entry] = []
        self._latest: Scored = {}
        for one in people:
            numbers = {"likeability": one.likeability, "extroversion": one.extroversion}
            run.note(events.Prescribed, one.name, numbers=numbers)

    def works(self) -> list[Coroutine[Any, Any, None]]:
        return [self._run.every(self._every_s, self._look)]

    def outcome(self) -> Entry:
        if not self._over_time or self._over_time[-1]["t"] < round(self._run.time.now(), 1):
            self._look()
        return {
            **measured(self._latest, self._people),
            "over_time": self._over_time,
            "coherence": self._run.words.coherence(),
        }

    def _look(self) -> None:
        agents, found = self._run.agents, dict[tuple[str, str], float]()
        for (observer, agent), other in itertools.product(agents.items(), agents):
            text = "" if observer == other else opinion_of(agent, other)
            if text:
                found[observer, other] = score = score_of(text)
                self._run.note(events.ProfileScored, observer, about=other, score=score, text=text)
        self._latest = found
        at_k = likeability(found, self._people, SHOWN_OBSERVERS)
        self._over_time.append({"t": round(self._run.time.now(), 1), **at_k})


def opinion_of(agent: Agent, other: str) -> str:
    """Return an agent's words about another agent.

    These words are the agent's profile of the other agent if the agent wrote one. Otherwise
    (without social awareness), the words are the agent's latest insight that names the other agent,
    or an empty string.
    """
    if written := (agent.profiles or {}).get(other):
        return written
    memories = sorted((*agent.memory.long, *agent.memory.short), key=lambda one: one.t)
    own = (one.text for one in reversed(memories) if isinstance(one.about, Insight))
    name = re.compile(rf"\b{re.escape(other)}\b")
    return next((text for text in own if name.search(text)), "")


def measured(scores: Scored, people: Sequence[Personality]) -> Result:
    """Compute the measures of a society from its scores.

    Returns:
        ``people`` contains for each person the true ``likeability`` and ``extroversion``, the
        number of ``observers`` and their mean score ``perceived`` (None without observers).
        ``edges`` contains observer, observed person and score. ``by_observers`` contains
        :func:`likeability` for each number in :data:`OBSERVERS`; the one for five observers is also
        part of the result itself. ``extroversion_r`` is Pearson's r between the number of observers
        and extroversion. ``asymmetry`` is the mean difference between the scores that two people
        give each other.
    """
    by_observed = _by_observed(scores)
    counts = [len(by_observed[one.name]) for one in people]
    by_observers = [likeability(scores, people, k) for k in OBSERVERS]
    return {
        "people": {
            one.name: {
                "likeability": one.likeability,
                "extroversion": one.extroversion,
                "observers": count,
                "perceived": round(float(np.mean(by_observed[one.name])), 4) if count else None,
            }
            for one, count in zip(people, counts, strict=True)
        },
        "edges": [(a, b, score) for (a, b), score in sorted(scores.items())],
        **by_observers[SHOWN_OBSERVERS - 1],
        "by_observers": by_observers,
        "extroversion_r": correlation([one.extroversion for one in people], counts),
        "asymmetry": [
            round(abs(score - scores[b, a]), 4)
            for (a, b), score in sorted(scores.items())
            if a < b and (b, a) in scores
        ],
    }


def likeability(scores: Scored, people: Sequence[Personality], observers: int) -> Result:
    """Regress perceived likeability on true likeability, over people whom enough observers scored.

    Perceived likeability is the mean of the observers' scores.

    Returns:
        ``observers`` is the minimum number of observers, and ``n`` is the number of people who have
        at least that many observers. ``r``, ``slope`` and ``intercept`` come from ordinary least
        squares. ``low`` and ``high`` are the limits of the slope's 95 % confidence interval, by
        Student's t with (n - 2) degrees of freedom. Numbers that are undefined are None.
    """
    by_observed = _by_observed(scores)
    kept = [one for one in people if len(by_observed[one.name]) >= observers]
    x = [one.likeability for one in kept]
    y = [float(np.mean(by_observed[one.name])) for one in kept]
    low, high = slope_interval(x, y)
    return {"observers": observers, "n": len(kept), **regression(x, y), "low": low, "high": high}


def slope_interval(
    x: Sequence[float], y: Sequence[float], confidence: float = CONFIDENCE
) -> tuple[float | None, float | None]:
    """Return the confidence interval of the slope of y on x: slope ± t(n - 2) · standard error.

    Both limits are None if there are fewer than three points or if all x are equal.
    """
    if len(x) < 3 or len(set(x)) < 2:
        return None, None
    slope, intercept = np.polyfit(x, y, 1)
    left, centred = np.subtract(y, intercept + slope * np.asarray(x)), np.asarray(x) - np.mean(x)
    error = np.sqrt(left @ left / (len(x) - 2) / (centred @ centred))
    far = student_quantile((1 + confidence) / 2, len(x) - 2) * float(error)
    return round(slope - far, 6), round(slope + far, 6)


def _by_observed(scores: Scored) -> Mapping[str, Sequence[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    for (_, observed), score in scores.items():
        found[observed].append(score)
    return found


# --- Results of the scenario next to published results --------------------------------------------

SOURCE = "Project Sid (Altera.AL 2024), figures 6 and 7, tables 1 and 2"
PUBLISHED: Mapping[str, str] = {
    "talk": "the score follows the moods: Lila's falls and rises again",
    "talk_ablated": "it does not",
    "chef": "food goes to those by whom the chef feels valued most",
    "chef_ablated": "-",
    "society": "slope .373 [.269, .476], r .807 of 31 people with 5 observers or more",
    "society_ablated": "slope .161 [.093, .229], r .617 of 39 people",
}
# Tables 1 and 2: by condition, for 1 to 11 or more observers: r, people, slope, intercept.
TABLES: Mapping[str, Sequence[tuple[float, int, float, float]]] = {
    "society": (
        *((0.646, 46, 0.365, 4.136), (0.669, 41, 0.383, 4.173), (0.701, 39, 0.370, 4.372)),
        *((0.711, 37, 0.364, 4.384), (0.807, 31, 0.373, 4.328), (0.790, 28, 0.349, 4.498)),
        *((0.813, 27, 0.365, 4.368), (0.870, 24, 0.378, 4.366), (0.870, 24, 0.378, 4.366)),
        *((0.901, 22, 0.385, 4.403), (0.907, 18, 0.368, 4.496)),
    ),
    "society_ablated": (
        *((0.610, 48, 0.175, 4.171), (0.606, 45, 0.177, 4.170), (0.606, 45, 0.177, 4.170)),
        *((0.606, 45, 0.177, 4.170), (0.617, 39, 0.161, 4.297), (0.600, 35, 0.148, 4.388)),
        *((0.591, 32, 0.144, 4.435), (0.663, 26, 0.159, 4.441), (0.721, 20, 0.173, 4.439)),
        *((0.725, 18, 0.159, 4.575), (0.686, 15, 0.142, 4.637)),
    ),
}


def summary(entries: Sequence[Entry]) -> Result:
    """Summarise the measures of each condition over the runs in which an agent acted.

    For talks, the measures are the mean correlation between Lila's moods and scores, the mean lag
    of these correlations, and the correlation for each speaker. For kitchens, they are the
    regression of received pieces on scores, over all customers. ``runs`` is the number of runs.
    """
    found = by_condition(entries, _measured)
    for one in found["conditions"].values():
        one["in_words"] = _told(one)
    return found


def _measured(runs: Sequence[Entry]) -> Result:
    if not runs:
        return {"r": None, "lag_s": None, "speakers": {}}
    if "by_observers" in runs[0]:
        keys = ("n", "r", "slope", "intercept", "low", "high")
        rows = [
            {"observers": k}
            | {key: known_mean(run["by_observers"][at][key] for run in runs) for key in keys}
            for at, k in enumerate(OBSERVERS)
        ]
        return {
            **rows[SHOWN_OBSERVERS - 1],
            "by_observers": rows,
            "edges": known_mean(len(run["edges"]) for run in runs),
            "extroversion_r": known_mean(run["extroversion_r"] for run in runs),
            "asymmetry": known_mean(apart for run in runs for apart in run["asymmetry"]),
        }
    if "customers" in runs[0]:
        points = [(name, one) for run in runs for name, one in run["customers"].items()]
        found = regression([one["score"] for _, one in points], [one["items"] for _, one in points])
        customers = {
            name: {
                key: known_mean(one[key] for other, one in points if other == name)
                for key in ("items", "score")
            }
            for name, _ in points
        }
        return {**found, "points": len(points), "customers": customers}
    by_speaker = {
        name: known_mean(run["speakers"][name]["r"] for run in runs) for name in runs[0]["speakers"]
    }
    lags = known_mean(run["speakers"]["Lila"]["lag_s"] for run in runs)
    return {"r": by_speaker["Lila"], "lag_s": lags, "speakers": by_speaker}


def show(result: Result) -> None:
    """Print the results of all experiments next to the published results."""
    console = plain_console()
    title = "how feelings follow words, and food feelings"
    console.print(
        condition_table(
            result, title, ["measured"], lambda _, one: [one["in_words"]], PUBLISHED, SOURCE
        )
    )
    for name, found in result["conditions"].items():
        if "by_observers" in found:
            console.print(_by_observers(name, found))
    print_closing_lines(console, result)


def _by_observers(name: str, measured: Result) -> Table:
    """Return table 1 or table 2 of the paper, filled with our numbers. The tables show the
    regression of perceived on true likeability, for each minimum number of observers.
    """
    rows = []
    for row, (r, n, slope, intercept) in zip(measured["by_observers"], TABLES[name], strict=True):
        published = f"{n}, {r:.2f}, {slope:.2f}, {intercept:.2f}"
        line = (number(row["r"]), number(row["slope"]), _interval(row), number(row["intercept"]))
        rows.append([f"{row['observers']}+", f"{row['n']:.0f}", *line, published])
    return table_of(
        f"{name}: perceived on true likeability, mean over {measured['runs']} runs",
        ("observers", "people", "r", "slope", "95 % interval", "intercept",
         "published: people, r, slope, intercept"),
        rows,
    )  # fmt: skip


def _told(found: Result) -> str:
    if not found["runs"]:
        return "nobody acted"
    if "by_observers" in found:
        return (
            f"slope {number(found['slope'])} {_interval(found)}, r {number(found['r'])} of "
            f"{found['n']:.0f} people with {found['observers']} observers or more; r of observers "
            f"and extroversion {number(found['extroversion_r'])}; two who know each other are "
            f"{number(found['asymmetry'])} apart"
        )
    if "customers" in found:
        each = ", ".join(
            f"{name} {one['items']:.1f} (feeling {one['score']:.1f})"
            for name, one in found["customers"].items()
        )
        line = f"{number(found['slope'])} a point of feeling, r {number(found['r'])}"
        return f"pieces: {each}; {line}"
    each = ", ".join(f"{name} {number(r)}" for name, r in found["speakers"].items())
    lags = ", ".join(f"{lag:g}" for lag in LAGS_S)
    return f"r of score and mood: {each} (the greatest of lags of {lags} s)"


def _interval(line: Result) -> str:
    return f"[{number(line['low'])}, {number(line['high'])}]"


def number(value: float | None) -> str:
    """Format a number with two decimal places, or return a dash for None."""
    return "-" if value is None else f"{value:.2f}"
