"""The society of fifty: where it lives, and what is measured of it.

Source: Altera.AL, "Project Sid" (2024), figure 7 and tables 1 and 2. The village is that of
``worlds/trades/village.yaml``; where in it people live, and how often they speak, is ours.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from voxpolis.bots.agents.piano import Agent, Insight
from voxpolis.experiments.loops.society.scenario import Institutions
from voxpolis.experiments.loops.society.society import SocietyRun
from voxpolis.experiments.run.scenario import Entry, Result
from voxpolis.records import events
from voxpolis.records.measures import student_quantile
from voxpolis.scenarios.sentiment.lexicon import score_of
from voxpolis.scenarios.sentiment.measures import correlation, regression
from voxpolis.scenarios.sentiment.personalities import Personality
from voxpolis.worlds.trades import Report, TradeWorld

#: Perceived likeability is compared for those with at least so many observers; figure 7 has 5.
OBSERVERS = range(1, 12)
SHOWN_OBSERVERS = 5
#: So many times is looked in a life (every 30 minutes of 4 hours, Project Sid).
LOOKS = 8
#: Of the interval of a slope that results give.
CONFIDENCE = 0.95

#: Observer, observed → score, 0 (hate) to 10 (love).
Scores = Mapping[tuple[str, str], float]


class Opinions(Institutions):
    """Looks at what everybody thinks of everybody; see
    :class:`experiments.loops.society.scenario.Institutions`.
    """

    def __init__(self, run: SocietyRun, people: Sequence[Personality], life_s: float) -> None:
        """Watch a society that lives ``life_s`` seconds."""
        assert isinstance(run.world, TradeWorld)
        self._run = run
        self._people = people
        self._every_s = life_s / LOOKS
        self._over_time: list[Entry] = []
        self._latest: Scores = {}
        run.world.listeners.append(self._note)

    def works(self) -> list[Coroutine[Any, Any, None]]:
        """Return what looks."""
        return [self._watch()]

    def outcome(self) -> Entry:
        """Return what comes of the last look, and slopes over time; see :func:`measured`."""
        if not self._over_time or self._over_time[-1]["t"] < round(self._run.time.now(), 1):
            self._look()
        return {
            **measured(self._latest, self._people),
            "over_time": self._over_time,
            "coherence": self._run.coherence(),
        }

    async def _watch(self) -> None:
        while True:
            await self._run.time.sleep(self._every_s, key=-1)
            self._look()

    def _look(self) -> None:
        """Score all opinions that there are."""
        agents, found = self._run.agents, dict[tuple[str, str], float]()
        for (observer, agent), other in itertools.product(agents.items(), agents):
            text = "" if observer == other else opinion_of(agent, other)
            if text:
                found[observer, other] = score = score_of(text)
                self._run.note(events.ProfileScored, observer, about=other, score=score, text=text)
        self._latest = found
        at_k = likeability(found, self._people, SHOWN_OBSERVERS)
        self._over_time.append({"t": round(self._run.time.now(), 1), **at_k})

    def _note(self, report: Report) -> None:
        self._run.note(events.ActionDone, report.agent, **report.fields())


def opinion_of(agent: Agent, other: str) -> str:
    """Return what an agent has in words of another: its profile of it, or, where social awareness
    writes none, the last insight that it remembers and that names it; empty: nothing.
    """
    if written := (agent.profiles or {}).get(other):
        return written
    memories = sorted((*agent.memory.long, *agent.memory.short), key=lambda one: one.t)
    own = (one.text for one in reversed(memories) if isinstance(one.about, Insight))
    name = re.compile(rf"\b{re.escape(other)}\b")
    return next((text for text in own if name.search(text)), "")


# --- Measures -------------------------------------------------------------------------------------


def measured(scores: Scores, people: Iterable[Personality]) -> Result:
    """Return what scores come to.

    Returns:
        ``people``: by name ``likeability`` and ``extroversion`` (true), ``observers`` and the mean
        of their scores, ``perceived`` (None without any); ``edges``: observer, observed and score;
        ``by_observers``: :func:`likeability` for each of :data:`OBSERVERS`; ``extroversion_r``:
        Pearson's r of observers and extroversion; ``asymmetry``: how far the scores of two who
        score each other are apart.
    """
    everybody = list(people)
    by_observed = _by_observed(scores)
    counts = [len(by_observed.get(one.name, ())) for one in everybody]
    return {
        "people": {
            one.name: {
                "likeability": one.likeability,
                "extroversion": one.extroversion,
                "observers": count,
                "perceived": _mean(by_observed.get(one.name, ())),
            }
            for one, count in zip(everybody, counts, strict=True)
        },
        "edges": [(a, b, score) for (a, b), score in sorted(scores.items())],
        "by_observers": [likeability(scores, everybody, k) for k in OBSERVERS],
        "extroversion_r": correlation([one.extroversion for one in everybody], counts),
        "asymmetry": [
            round(abs(score - scores[b, a]), 4)
            for (a, b), score in sorted(scores.items())
            if a < b and (b, a) in scores
        ],
    }


def likeability(scores: Scores, people: Iterable[Personality], observers: int) -> Result:
    """Return the line of perceived on true likeability, over those with enough observers.

    Perceived likeability is the mean of the observers' scores.

    Returns:
        ``observers``; ``n``, how many have so many; ``r``, ``slope``, ``intercept`` of ordinary
        least squares; ``low`` and ``high`` of the 95 % confidence interval of the slope, by
        Student's t with n - 2 degrees of freedom. None where a number is not defined.
    """
    by_observed = _by_observed(scores)
    kept = [one for one in people if len(by_observed.get(one.name, ())) >= observers]
    x = [one.likeability for one in kept]
    y = [float(np.mean(by_observed[one.name])) for one in kept]
    low, high = slope_interval(x, y)
    return {"observers": observers, "n": len(kept), **regression(x, y), "low": low, "high": high}


def slope_interval(
    x: Sequence[float], y: Sequence[float], confidence: float = CONFIDENCE
) -> tuple[float | None, float | None]:
    """Return the confidence interval of the slope of y on x: slope ± t(n - 2) · standard error.

    None and None for fewer than three points or where x is one value.
    """
    if len(x) < 3 or len(set(x)) < 2:
        return None, None
    xs, ys = np.asarray(x, float), np.asarray(y, float)
    centred = xs - xs.mean()
    squares = float(centred @ centred)
    slope = float(centred @ ys) / squares
    left = ys - ys.mean() - slope * centred
    error = float(np.sqrt(left @ left / (len(xs) - 2) / squares))
    far = student_quantile((1 + confidence) / 2, len(xs) - 2) * error
    return round(slope - far, 6), round(slope + far, 6)


def _by_observed(scores: Scores) -> Mapping[str, Sequence[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    for (_, observed), score in scores.items():
        found[observed].append(score)
    return found


def _mean(scores: Sequence[float]) -> float | None:
    return round(float(np.mean(scores)), 4) if scores else None
