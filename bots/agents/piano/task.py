"""The current task of an agent: its decision, the progress, and the reasons to decide again."""

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

# Time in seconds after which the agent decides again even if nothing has happened; our value.
STANDS_FOR_S = 60.0
# The first and the longest pause after an unreadable or failed decision, in seconds. Each further
# failure doubles the pause.
ASKED_AGAIN_AFTER_S, LONGEST_PAUSE_S = 2.0, 120.0
# Walking to a place fails after the expected time multiplied by PATIENCE_FACTOR plus PATIENCE_S.
PATIENCE_FACTOR, PATIENCE_S = 2.0, 5.0
# Maximum number of ended expectations that wait to be checked; older ones are dropped.
MOST_ENDED = 8


@made_often
class Action:
    """An action that an agent chooses: a verb of its action set, and the verb's arguments.

    Attributes:
        count: the number of pieces; 0 if the verb takes no count.
        person: the recipient or partner.
        percent: a percentage of what the agent holds; None if the verb takes no percentage.
        task: free text, for an action that no other verb covers.
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
        """The place or person that the agent has to reach for this action."""
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
    """The decision of the controller: an action, a topic to talk about, and an expected result."""

    t: float
    action: Action
    about: str
    expects: Forecast | None = None


class Standing(Protocol):
    """A fact that holds for an agent until it is replaced, such as a law or a season.

    Scripted minds read the fact as structured data. Prompts show its text.
    """

    def text(self, now: float) -> str:
        """Return the text of the fact at a certain time.

        ``now`` is the time in seconds since the start of the society.
        """


@dataclass(frozen=True)
class Outcome:
    """The outcome of an action.

    Attributes:
        subject: the subject about which the outcome sets a new standing fact.
        holds: the new standing fact.
        text: the text that the agent remembers.
    """

    subject: str
    holds: Standing
    text: str


@made_often
class Expectation:
    """A condition that the world should satisfy by the time ``until``.

    The agent should be at ``place``, or should have at least ``items`` items.
    """

    until: float
    place: str | None = None
    items: int | None = None


class Pause:
    """A pause after a failure. Each failure doubles its length, and a success resets it."""

    __slots__ = ("_pause", "until")

    def __init__(self) -> None:
        self._pause = self.until = 0.0

    def lengthen(self, now: float) -> None:
        """Start a pause that is twice as long as the last pause."""
        self._pause = min(max(2 * self._pause, ASKED_AGAIN_AFTER_S), LONGEST_PAUSE_S)
        self.until = now + self._pause

    def end(self) -> None:
        self._pause = self.until = 0.0


@dataclass(frozen=True)
class _WatchedForecast:
    """The forecast of the current decision, and the agent's state when the decision began."""

    until: float
    forecast: Forecast
    before: Mapping[str, int]
    health: float | None


class Task:
    """The decision that an agent is carrying out.

    Modules change the task only through the methods of this class.
    """

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
        # If true, the next decision starts an action even if it repeats the action just finished.
        self._begins_anew = True
        self._after_unread, self._after_undone = Pause(), Pause()

    @property
    def action(self) -> Action:
        return self.decision.action

    def now(self) -> float:
        return self._time.now()

    # --- Deciding ---------------------------------------------------------------------------------

    @property
    def needs_decision(self) -> bool:
        """True if the agent must decide again: something happened or the decision is old.

        During a pause after a failure the value is false.
        """
        now = self._time.now()
        if not self._reconsiders and now - self.decision.t < STANDS_FOR_S:
            return False
        return now >= self._after_unread.until and now >= self._after_undone.until

    @property
    def reconsiders(self) -> bool:
        return self._reconsiders

    @property
    def is_called_off(self) -> bool:
        """True if something urgent has stopped the action.

        The outcome of the action itself does not count as urgent.
        """
        return self._is_cut_short or (self._reconsiders and not self.is_done)

    def give_up(self) -> None:
        """Record that the controller has asked for a decision and got no usable answer.

        The controller asks again after a pause.
        """
        self._after_unread.lengthen(self._time.now())
        self._reconsiders = True

    def reconsider(self) -> None:
        """Make the controller decide in its next run.

        The controller does not pause first, even if the last action has failed.
        """
        self._after_undone.until = 0.0
        self._reconsiders = True

    def await_decision(self) -> None:
        """Record that a decision is being made.

        If something happens meanwhile, another decision follows.
        """
        self._reconsiders = False

    def begin(self, decision: Decision) -> bool:
        """Start to carry out a decision, and return whether the decision starts anything.

        A decision starts something if its action differs from the last action, or if the last
        action was interrupted, failed, or ended with ``reconsider``. Any other repeated decision
        starts nothing, such as to go to the place where the agent already is.
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

    # --- Carrying out -----------------------------------------------------------------------------

    def finish(self, *, reconsider: bool = False) -> None:
        """End the action with success.

        If ``reconsider`` is true, decide on the next action immediately.
        """
        self._begins_anew = reconsider
        self._after_undone.end()
        self._end_watch(is_over=True)
        self.is_done = True
        self._reconsiders = self._reconsiders or reconsider

    def interrupt(self) -> None:
        """Stop the action, even if it is unfinished, and decide on the next one immediately."""
        self._end_watch(is_over=True)
        self._is_cut_short = self._is_cut_short or not self.is_done
        self.is_done = self._begins_anew = True
        self._reconsiders = True

    def fail(self, reason: str) -> None:
        """End the action as failed.

        The controller decides again after a pause that grows with failures.

        The pause begins at the time of the decision, not at the time of the failure. After an
        action that fails only after a long time, there is therefore no further delay.
        """
        self.failures[self.action.do] += 1
        self.failure = reason
        self._after_undone.lengthen(self.decision.t)
        self.interrupt()
        self._is_cut_short = False

    def refuse(self, reason: str) -> None:
        """End an impossible action as failed, tell the agent the reason, and record the event."""
        self.fail(reason)
        self.happened(f"{self.action.do} did nothing: {reason}")
        self._note(events.DecisionRefused, action=str(self.action), reason=reason)

    def go_to(self, target: str) -> bool:
        """Return whether the agent is at ``target``. If not, start to walk there."""
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
        """Record a success of the agent's work, after which it should have at least ``count``
        items.
        """
        self._after_undone.end()
        self.expected = Expectation(self._time.now(), items=count)

    def take_due_expectation(self) -> Expectation | None:
        """Return the expectation that is due and remove it; None if no expectation is due."""
        expected = self.expected
        if expected is None or self._time.now() < expected.until:
            return None
        self.expected = None
        return expected

    def _end_watch(self, *, is_over: bool) -> None:
        """Store the forecast of the current decision, together with what really happened.

        The forecast of a decision is stored only once.
        """
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
        """Return the forecasts that have ended, with the actual results, and forget them.

        A forecast ends with its action or when its time is up.
        """
        if self._watched is not None and self._time.now() >= self._watched.until:
            self._end_watch(is_over=False)
        ended, self._ended = self._ended, ()
        return ended
