"""An agent's current task: its decision, its progress, and the causes of a new decision."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from voxpolis.bots.agents.piano.body import Body
from voxpolis.bots.agents.piano.expectations import Ended, Forecast
from voxpolis.bots.time import Time
from voxpolis.bots.values import made_often
from voxpolis.records import events

# Time in seconds after which a decision is reconsidered without a cause; our value.
STANDS_FOR_S = 60.0
# Pause after an unreadable or failed decision: its initial and maximum length. It doubles each
# time.
ASKED_AGAIN_AFTER_S, LONGEST_PAUSE_S = 2.0, 120.0
# Travel fails after this multiple of its expected time, plus this many seconds.
PATIENCE_FACTOR, PATIENCE_S = 2.0, 5.0
# Maximum number of unchecked expectations; older ones are dropped.
MOST_ENDED = 8


@made_often
class Action:
    """An action that an agent decides on: a verb of its action set, and the verb's arguments.

    Attributes:
        count: number of pieces; 0 if the verb takes none.
        person: recipient or partner.
        percent: percentage of the agent's stock; None if the verb takes none.
        task: free text for an action that no other verb covers.
    """

    do: str
    count: int = 0
    item: str = ""
    person: str = ""
    place: str = ""
    percent: float | None = None
    task: str = ""

    @property
    def target(self) -> str:
        """The place or person that the agent must be at."""
        return self.place or self.person

    @property
    def share(self) -> float:
        assert self.percent is not None
        return self.percent / 100

    def __str__(self) -> str:
        if self.percent is not None:
            return f"{self.do} {self.share * 100:.1f} %"
        told = f"{self.do} {self.count}" if self.count else self.do
        if self.item:
            told = f"{told} {self.item}"
        if self.person:
            told = f"{told} to {self.person}" if self.item else f"{told} {self.person}"
        return f"{told} {self.place}{self.task}" if self.place or self.task else told


NO_ACTION = Action("REST")


@made_often
class Decision:
    """The controller's decision: an action, a topic to talk about, and an expectation."""

    t: float
    action: Action
    about: str
    expects: Forecast | None = None


class Standing(Protocol):
    """A fact that is valid for an agent until it is replaced: a law, a season, its payments.

    A typed value for scripted minds; prompts show its text.
    """

    def text(self, now: float) -> str:
        """Return the fact in words at the time ``now``, in society seconds."""


@dataclass(frozen=True)
class Outcome:
    """Outcome of an action, a standing fact about a subject; ``text`` is remembered."""

    subject: str
    holds: Standing
    text: str


@made_often
class Expectation:
    """Expected result of an action by ``until``: being at ``place``, or having ``items`` items."""

    until: float
    place: str | None = None
    items: int | None = None


class Pause:
    """Pause after a failure, longer each time, until something succeeds."""

    __slots__ = ("_pause", "until")

    def __init__(self) -> None:
        self._pause = self.until = 0.0

    def lengthen(self, now: float) -> None:
        """Start a pause twice as long as the last one."""
        self._pause = min(max(2 * self._pause, ASKED_AGAIN_AFTER_S), LONGEST_PAUSE_S)
        self.until = now + self._pause

    def end(self) -> None:
        """End the pause and reset its length."""
        self._pause = self.until = 0.0


@dataclass(frozen=True)
class _WatchedForecast:
    """The current decision's forecast, and the state when the decision began."""

    until: float
    forecast: Forecast
    before: Mapping[str, int]
    health: float | None


class Task:
    """The decision that an agent carries out. Modules change it only by these methods."""

    __slots__ = (
        "_after_undone",
        "_after_unread",
        "_begins_anew",
        "_ended",
        "_is_cut_short",
        "_note",
        "_reconsiders",
        "_time",
        "_watched",
        "agent",
        "body",
        "decision",
        "expected",
        "failure",
        "failures",
        "happened",
        "is_done",
        "outcomes",
        "standing",
    )

    def __init__(
        self,
        agent: str,
        body: Body,
        time: Time,
        happened: Callable[[str], None],
        note: Callable[..., object],
        standing: Mapping[str, Standing],
        outcomes: deque[Outcome],
    ) -> None:
        self.agent = agent
        self.body = body
        self.happened = happened
        self.standing = standing
        self.outcomes = outcomes
        self.decision = Decision(0.0, NO_ACTION, "")
        self.is_done = True
        self.expected: Expectation | None = None
        self.failure = ""
        self.failures: Counter[str] = Counter()
        self._watched: _WatchedForecast | None = None
        self._ended: tuple[Ended, ...] = ()
        self._time = time
        self._note = note
        self._reconsiders = True
        self._is_cut_short = False
        # The next decision starts an action even if it repeats the current one.
        self._begins_anew = True
        self._after_unread, self._after_undone = Pause(), Pause()

    @property
    def action(self) -> Action:
        return self.decision.action

    def now(self) -> float:
        return self._time.now()

    # --- Deciding --------------------------------------------------------------------------------

    @property
    def needs_decision(self) -> bool:
        """True if something happened or the decision is old, so the agent must decide again."""
        now = self._time.now()
        if not self._reconsiders and now - self.decision.t < STANDS_FOR_S:
            return False
        return now >= self._after_unread.until and now >= self._after_undone.until

    @property
    def reconsiders(self) -> bool:
        return self._reconsiders

    @property
    def is_called_off(self) -> bool:
        """True if something urgent other than its own outcome has happened since the start."""
        return self._is_cut_short or (self._reconsiders and not self.is_done)

    def give_up(self) -> None:
        """Handle a missing decision: the controller retries after a growing pause."""
        self._after_unread.lengthen(self._time.now())
        self._reconsiders = True

    def reconsider(self) -> None:
        """Let the controller decide in its next run, without a pause even after a failure."""
        self._after_undone.until = 0.0
        self._reconsiders = True

    def await_decision(self) -> None:
        """Mark a decision as pending; an event before it arrives causes another decision."""
        self._reconsiders = False

    def begin(self, decision: Decision) -> bool:
        """Start carrying out a decision; return whether it starts anything.

        A decision starts something if its action is new or repeats a finished one. Going to the
        current place starts nothing.
        """
        changed = decision.action != self.action
        begins = changed or (self.is_done and self._begins_anew)
        self._is_cut_short = self._begins_anew = False
        self._after_unread.end()
        self.decision = decision
        if changed or self.is_done:
            self.is_done, self.failure = False, ""
            self.expected = None
            self._watched = self._watch(decision)
        return begins

    def _watch(self, decision: Decision) -> _WatchedForecast | None:
        forecast = decision.expects
        if forecast is None:
            return None
        until = self._time.now() + forecast.within_s
        return _WatchedForecast(
            until, forecast, dict(self.body.inventory()), self.body.notices().health
        )

    # --- Carrying out ----------------------------------------------------------------------------

    def finish(self, *, reconsider: bool = False) -> None:
        """Finish successfully; with ``reconsider``, decide on the next action immediately."""
        self._begins_anew = reconsider
        self._after_undone.end()
        self._end_watch(is_over=True)
        self.is_done = True
        self._reconsiders = self._reconsiders or reconsider

    def interrupt(self) -> None:
        """Stop the action, finished or not, and decide on the next one immediately."""
        self._end_watch(is_over=True)
        self._is_cut_short = self._is_cut_short or not self.is_done
        self.is_done = self._begins_anew = True
        self._reconsiders = True

    def fail(self, reason: str) -> None:
        """End a failed action: the controller decides after a growing pause.

        The pause is measured from the time of the decision, so a slow failure causes no further
        delay.
        """
        self.failures[self.action.do] += 1
        self.failure = reason
        self._after_undone.lengthen(self.decision.t)
        self.interrupt()
        self._is_cut_short = False

    def refuse(self, reason: str) -> None:
        """Fail an impossible action; tell the agent why, and record the failure."""
        self.fail(reason)
        self.happened(f"{self.action.do} did nothing: {reason}")
        self._note(events.DecisionRefused, action=str(self.action), reason=reason)

    def go_to(self, target: str) -> bool:
        """Return whether the agent is there; if not, and not yet on its way, set out."""
        if self.body.is_at(target):
            if self.expected is not None and self.expected.place == target:
                self.expected = None
            return True
        if self.expected is None or self.expected.place != target:
            try:
                seconds = self.body.head_for(target)
            except LookupError:
                self.refuse(f"there is no {target}")
                return False
            until = self._time.now() + PATIENCE_FACTOR * seconds + PATIENCE_S
            self.expected = Expectation(until, place=target)
        return False

    def expect_items(self, count: int) -> None:
        """Expect that the agent, whose work succeeded, now has at least ``count`` items."""
        self._after_undone.end()
        self.expected = Expectation(self._time.now(), items=count)

    def take_due_expectation(self) -> Expectation | None:
        """Return the due expectation, once only; None if no expectation is due."""
        expected = self.expected
        if expected is None or self._time.now() < expected.until:
            return None
        self.expected = None
        return expected

    def _end_watch(self, *, is_over: bool) -> None:
        """Compare the stated expectation with the actual state of the world, once only."""
        watched, self._watched = self._watched, None
        if watched is None:
            return
        forecast, health = watched.forecast, self.body.notices().health
        hurt = 0.0 if health is None or watched.health is None else watched.health - health
        is_there = bool(forecast.place) and self.body.is_at(forecast.place)
        after = dict(self.body.inventory())
        action, hurt = str(self.action), max(0.0, hurt)
        ended = Ended(action, forecast, watched.before, after, is_there, is_over, hurt)
        self._ended = (*self._ended, ended)[-MOST_ENDED:]

    def take_ended(self) -> tuple[Ended, ...]:
        """Return the stated expectations whose action or time has ended, each only once."""
        if self._watched is not None and self._time.now() >= self._watched.until:
            self._end_watch(is_over=False)
        ended, self._ended = self._ended, ()
        return ended
