"""Events of societies: speech and minds, elections and taxes, and the spread of a faith."""

from __future__ import annotations

from typing import Literal

from records.event import Counts, Event, Position


class ConditionStarted(Event):
    """The condition of the episode that has begun, and who lives in it."""

    kind: Literal["condition_started"] = "condition_started"
    condition: str
    agents: list[str]


class Spoke(Event):
    """What an agent said, where, and who heard it."""

    kind: Literal["spoke"] = "spoke"
    text: str
    hearers: list[str]
    position: Position


class GoalSet(Event):
    """An agent's new social goal; ``home`` is the town it is of."""

    kind: Literal["goal"] = "goal"
    text: str
    home: str = ""


class Decided(Event):
    """The controller's decision changed: its action, and what there is to talk about."""

    kind: Literal["decided"] = "decided"
    action: str
    about: str


class SentimentChanged(Event):
    """How much an agent likes another, from 0 (hates) to 10 (loves)."""

    kind: Literal["sentiment"] = "sentiment"
    about: str
    value: int


class BeliefCorrected(Event):
    """What an agent expected of its action did not come; the belief gave way."""

    kind: Literal["belief_corrected"] = "belief_corrected"
    text: str


class ReflexFired(Event):
    """A reflex acted without a thought."""

    kind: Literal["reflex"] = "reflex"
    cause: str


class MindFailed(Event):
    """A mind gave no answer that could be used; ``message`` begins with slow, error or nonsense."""

    kind: Literal["mind_failed"] = "mind_failed"
    role: str
    message: str


class SeasonOpened(Event):
    """A tax season: what the law asks for, and for how long the chest is looked at."""

    kind: Literal["season_opened"] = "season_opened"
    season: int
    tax_rate: float
    window_s: float


class TaxPaid(Event):
    """What an agent put into the community chest in a season, by the world's own state.

    ``held`` is its inventory at the season's opening, ``paid`` what it has less of at its end;
    ``share`` is pieces paid over pieces held (0 for who held nothing).
    """

    kind: Literal["tax_paid"] = "tax_paid"
    season: int
    held: Counts
    paid: Counts
    share: float


class FeedbackGiven(Event):
    """What an agent thinks of the constitution."""

    kind: Literal["feedback"] = "feedback"
    text: str


class AmendmentProposed(Event):
    """An amendment on the ballot, and the numbers that it sets."""

    kind: Literal["amendment"] = "amendment"
    number: int
    text: str
    sets: dict[str, float]


class BallotCast(Event):
    """A ballot: yes, no or abstain for each amendment in their order."""

    kind: Literal["vote"] = "vote"
    choices: list[Literal["yes", "no", "abstain"]]


class AmendmentTallied(Event):
    """The count of an amendment."""

    kind: Literal["tally"] = "tally"
    number: int
    yes: int
    no: int
    abstain: int
    passed: bool


class LawChanged(Event):
    """The constitution that holds from now on."""

    kind: Literal["law_changed"] = "law_changed"
    version: int
    text: str
    parameters: dict[str, float]


class Converted(Event):
    """An agent's level of conversion rose by what it said: 1 indirect, 2 direct.

    ``heard_from``: who was the first to say it, directly, in its hearing, if anybody was; priests
    believed before.
    """

    kind: Literal["converted"] = "converted"
    level: int
    position: Position
    heard_from: str | None = None
