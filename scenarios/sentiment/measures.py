"""How far feelings follow what is said, and food feelings."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any

import numpy as np

from voxpolis.experiments.loops.society.scenario import Institutions
from voxpolis.experiments.loops.society.society import SocietyRun
from voxpolis.experiments.run.scenario import Entry, Result
from voxpolis.records import events
from voxpolis.scenarios.sentiment.lexicon import NEUTRAL, line_of, score_of
from voxpolis.worlds.trades import Report, TradeWorld

#: How often feelings are looked at, in seconds; and how much later than a mood they are compared.
SCORE_S, LAGS_S = 30.0, (0.0, 30.0, 60.0)
#: Each mood's sign.
SIGNS: Mapping[str, int] = {
    "affection": 1,
    "pleasant": 1,
    "neutral": 0,
    "annoyance": -1,
    "hostility": -1,
}


class _Scores:
    """Looks at what one agent feels about others, by its profiles of them."""

    def __init__(self, run: SocietyRun, observer: str, others: Sequence[str]) -> None:
        self._run = run
        self._observer = observer
        #: Of each other: when, and how the observer feels.
        self.over_time: dict[str, list[tuple[float, float]]] = {name: [] for name in others}

    async def look(self) -> None:
        """Note scores, until cancelled."""
        while True:
            await self._run.time.sleep(SCORE_S, key=-1)
            profiles = self._run.agents[self._observer].profiles or {}
            for name, found in self.over_time.items():
                text = profiles.get(name, "")
                found.append((self._run.time.now(), score_of(text)))
                self._run.note(
                    events.ProfileScored,
                    self._observer,
                    about=name,
                    score=score_of(text),
                    text=text,
                )


class TalkObserver(Institutions):
    """Lets speakers speak; see :class:`experiments.loops.society.scenario.Institutions`."""

    def __init__(
        self,
        run: SocietyRun,
        listener: str,
        phases: Mapping[str, Sequence[str]],
        talk_s: float,
        line_s: float,
        seed: int,
    ) -> None:
        """``phases``: each speaker's moods, in equal parts of ``talk_s``."""
        self._run = run
        self._phases = phases
        self._talk_s = talk_s
        self._line_s = line_s
        self._rng = random.Random(f"{seed} talk")
        self._scores = _Scores(run, listener, list(phases))

    def works(self) -> list[Coroutine[Any, Any, None]]:
        """Return what speaks and what looks."""
        return [self._speak(), self._scores.look()]

    def outcome(self) -> Entry:
        """Return scores over time, and how far they follow the moods."""
        found = {}
        for name, scores in self._scores.over_time.items():
            during = [(t, score) for t, score in scores if t <= self._talk_s]
            found[name] = {
                "scores": during,
                "moods": [self._sign(name, t) for t, _ in during],
                **follows(during, lambda t, who=name: self._sign(who, t)),
            }
        return {"speakers": found}

    def _sign(self, name: str, t: float) -> int:
        return sign_before(self._phases[name], self._talk_s, t)

    def _mood(self, name: str) -> str:
        return mood_at(self._phases[name], self._talk_s, self._run.time.now())

    async def _speak(self) -> None:
        """Let each speak in turn, each once in ``line_s``."""
        pause = self._line_s / len(self._phases)
        while self._run.time.now() < self._talk_s:
            for name in self._phases:
                self._run.say(name, line_of(self._mood(name), self._rng))
                await self._run.time.sleep(pause, key=-1)


class ChefObserver(Institutions):
    """Watches who gets food; see :class:`experiments.loops.society.scenario.Institutions`."""

    def __init__(self, run: SocietyRun, chef: str, customers: Sequence[str]) -> None:
        """Watch a kitchen."""
        assert isinstance(run.world, TradeWorld)
        self._run = run
        self._chef = chef
        self._received = Counter(dict.fromkeys(customers, 0))
        self._scores = _Scores(run, chef, customers)
        run.world.listeners.append(self._note)

    def works(self) -> list[Coroutine[Any, Any, None]]:
        """Return what looks."""
        return [self._scores.look()]

    def outcome(self) -> Entry:
        """Return what each customer received, and how the chef felt about it on average."""
        over_time = self._scores.over_time
        means = {
            name: sum(score for _, score in found) / len(found) if found else NEUTRAL
            for name, found in over_time.items()
        }
        return {
            "customers": {
                name: {"items": self._received[name], "score": round(mean, 4)}
                for name, mean in means.items()
            },
            "coherence": self._run.coherence(),
        }

    def _note(self, report: Report) -> None:
        """Record what came of an action, and count what the chef gave."""
        self._run.note(events.ActionDone, report.agent, **report.fields())
        if report.ok and report.agent == self._chef and report.to in self._received:
            self._received[report.to] += sum(report.spent.values())


# --- Measures -------------------------------------------------------------------------------------


def mood_at(moods: Sequence[str], talk_s: float, t: float) -> str:
    """Return the mood that a speaker is in from a moment on; moods share a talk equally."""
    return moods[min(math.floor(t / talk_s * len(moods)), len(moods) - 1)]


def sign_before(moods: Sequence[str], talk_s: float, t: float) -> int:
    """Return the sign of the mood that a speaker was in until a moment."""
    return SIGNS[moods[max(math.ceil(t / talk_s * len(moods)) - 1, 0)]]


def follows(scores: Sequence[tuple[float, float]], sign: Any) -> Result:
    """Return how far scores follow moods: the greatest correlation over lags, and its lag.

    Args:
        scores: seconds and scores.
        sign: returns a mood's sign (-1, 0, 1) until a moment: what was said before it.

    Returns:
        ``r`` (Pearson) and ``lag_s``; both None where scores or moods do not change.
    """
    best: Result = {"r": None, "lag_s": None}
    for lag in LAGS_S:
        pairs = [(score, sign(t - lag)) for t, score in scores if t > lag]
        r = correlation([a for a, _ in pairs], [float(b) for _, b in pairs])
        if r is not None and (best["r"] is None or r > best["r"]):
            best = {"r": r, "lag_s": lag}
    return best


def correlation(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Return Pearson's r; None where it is not defined."""
    if len(x) < 3 or len(set(x)) < 2 or len(set(y)) < 2:
        return None
    return round(float(np.corrcoef(x, y)[0, 1]), 6)


def regression(x: Sequence[float], y: Sequence[float]) -> Result:
    """Return ``slope`` and ``intercept`` of ordinary least squares of y on x, and ``r``; all None
    where they are not defined.
    """
    if len(x) < 3 or len(set(x)) < 2:
        return {"slope": None, "intercept": None, "r": correlation(x, y)}
    slope, intercept = np.polyfit(x, y, 1)
    line = {"slope": round(float(slope), 6), "intercept": round(float(intercept), 6)}
    return {**line, "r": correlation(x, y)}


def mean(values: Sequence[float | None]) -> float | None:
    """Return the mean of what is known; None of nothing."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
