"""Events of societies: speech and thoughts, elections and taxes, and the spread of a religion."""

from __future__ import annotations

from typing import Literal

from voxpolis.records.events.base import Counts, Event, Position, counted


class Spoke(Event, origin="experiment", lane="talk"):
    """An utterance of an agent, with its place and the agents who heard it."""

    kind: Literal["spoke"] = "spoke"
    text: str
    hearers: list[str]
    position: Position

    def summary(self) -> str:
        return f"“{self.text}” ({len(self.hearers)} hear)"


class Introduced(Event, origin="experiment", lane="mind"):
    """An agent joined a society, with a description of itself and a list of its modules."""

    kind: Literal["introduced"] = "introduced"
    traits: str
    modules: list[str]

    def summary(self) -> str:
        return self.traits or "says the prescribed words"


class Prescribed(Event, origin="experiment", lane="mind", in_words="prescribed: {numbers}"):
    """Numbers that the experiment prescribes for an agent from now on.

    The numbers are the agent's true ``likeability`` and ``extroversion``, from 0 to 10, or the sign
    of the agent's ``mood``.
    """

    kind: Literal["prescribed"] = "prescribed"
    numbers: dict[str, float]


class GoalSet(Event, origin="mind", lane="mind", in_words="goal: {text}"):
    """An agent set itself a new social goal. ``home`` is the agent's town."""

    kind: Literal["goal"] = "goal"
    text: str
    home: str = ""


class Decided(Event, origin="mind", lane="mind"):
    """An agent decided on an action, a topic to talk about, and an expected result.

    ``expects`` is empty if no result was stated. A decision that repeats the decision in progress
    has no effect.
    """

    kind: Literal["decided"] = "decided"
    action: str
    about: str
    expects: str = ""

    def summary(self) -> str:
        return f"decides: {self.action}" + (f", about {self.about}" if self.about else "")


class SentimentChanged(Event, origin="mind", lane="mind", in_words="likes {about}: {value} of 10"):
    """How much an agent now likes another agent, from 0 (hates) to 10 (loves)."""

    kind: Literal["sentiment"] = "sentiment"
    about: str
    value: int


class ProfileWritten(Event, origin="mind", lane="mind", in_words="of {about}: {text}"):
    """An agent's new knowledge of another agent, in one line."""

    kind: Literal["profile"] = "profile"
    about: str
    text: str


class ProfileScored(
    Event, origin="experiment", lane=None, in_words="feels {score:.1f} of 10 about {about}"
):
    """How an agent feels about another agent, from 0 to 10.

    The feeling is rated from what the agent has written about the other agent.
    """

    kind: Literal["profile_score"] = "profile_score"
    about: str
    score: float
    text: str


class ActionDone(Event, origin="experiment", lane="world"):
    """The result of an action, according to the world.

    Attributes:
        action: the action, such as MINE.
        item: the item, such as coal.
        ok: whether the action succeeded.
        reason: why the action failed; empty if it succeeded.
        gained: the items that the agent received by the rule of the action.
        spent: the items that the agent used up by the rule of the action.
        to: the agent that receives a gift.
    """

    kind: Literal["action_done"] = "action_done"
    action: str
    item: str = ""
    ok: bool
    reason: str = ""
    gained: Counts
    spent: Counts
    to: str = ""

    def summary(self) -> str:
        what = f"{self.action} {self.item}".strip() + (f" to {self.to}" if self.to else "")
        came = counted(self.gained) if self.ok else f"not done: {self.reason}"
        return what if self.ok and not self.gained else f"{what}: {came}"


class RoleTaken(Event, origin="experiment", lane="mind", in_words="role: {role}"):
    """The role that an agent's latest social goals indicate.

    The role is found by comparing the goals with the experiment's list of words.
    """

    kind: Literal["role"] = "role"
    role: str
    goals: list[str]


class BeliefCorrected(Event, origin="mind", lane="mind", in_words="believed otherwise: {text}"):
    """The expected result of an action did not occur, so the agent corrected its belief."""

    kind: Literal["belief_corrected"] = "belief_corrected"
    text: str


class DecisionRefused(
    Event, origin="mind", lane="mind", in_words="decided in vain: {action}: {reason}"
):
    """A decision was impossible, because something does not exist or is not available."""

    kind: Literal["decision_refused"] = "decision_refused"
    action: str
    reason: str


class ExpectationEnded(
    Event, origin="mind", lane="mind", in_words="expected {expected} of {action}: {outcome}"
):
    """The expected result of an action was compared with the real result.

    ``outcome`` is ``met``, ``partly``, ``missed`` or ``other``. ``actual`` is the change in the
    number of each item.
    """

    kind: Literal["expectation_ended"] = "expectation_ended"
    action: str
    expected: str
    outcome: str
    actual: dict[str, int]


class ThingsTaken(Event, origin="experiment", lane="world", in_words="a {by} takes 1 {item}"):
    """A wolf took an item from an agent."""

    kind: Literal["things_taken"] = "things_taken"
    item: str
    by: str


class ClaimDenied(Event, origin="experiment", lane="talk"):
    """An agent made a claim that was false at that moment.

    ``claim`` says what was claimed about ``item``: to have one, to have none, to have made one, or
    to be eating.
    """

    kind: Literal["claim_denied"] = "claim_denied"
    text: str
    claim: Literal["has", "none", "made", "eats"]
    item: str = ""

    def summary(self) -> str:
        what = {
            "has": "to have",
            "none": "to have no",
            "made": "to have made",
            "eats": "to be eating",
        }
        return f"claims {what[self.claim]} {self.item}".rstrip() + ", which is not so"


class MemoryInjected(
    Event, origin="experiment", lane="mind", in_words="is made to remember: {text}"
):
    """The experiment gave an agent a false memory."""

    kind: Literal["memory_injected"] = "memory_injected"
    text: str


class ReflexFired(Event, origin="mind", lane="mind", in_words="reflex: {cause}"):
    """A reflex of the agent acted, without any thinking. ``cause`` says what triggered it."""

    kind: Literal["reflex"] = "reflex"
    cause: str


class MindFailed(Event, origin="mind", lane="mind", in_words="no answer for {role}: {message}"):
    """A mind gave no usable answer. ``message`` begins with the cause."""

    kind: Literal["mind_failed"] = "mind_failed"
    role: str
    message: str


class SeasonOpened(
    Event, origin="experiment", lane="rules", in_words="season {season} opens, tax {tax_rate:.1%}"
):
    """A tax season began. For ``window_s`` seconds, payments into the community chest count."""

    kind: Literal["season_opened"] = "season_opened"
    season: int
    tax_rate: float
    window_s: float


class TaxPaid(Event, origin="experiment", lane="rules", is_detailed=True):
    """The payment of an agent into the community chest in a season, according to the world.

    Attributes:
        held: the agent's inventory when the season began.
        paid: how much less of each item the agent had when the season ended.
        share: the number of pieces paid divided by the number held; 0 if the agent had nothing.
    """

    kind: Literal["tax_paid"] = "tax_paid"
    season: int
    held: Counts
    paid: Counts
    share: float

    def summary(self) -> str:
        paid, held = counted(self.paid), counted(self.held)
        return f"season {self.season}: paid {paid} of {held} ({self.share:.1%})"


class CameNear(Event, origin="experiment", lane="world", in_words="comes near the {place}"):
    """An agent came near a place, for the first time in a period.

    Each tax season is a period. The time between seasons is divided into periods that are as long
    as a season.
    """

    kind: Literal["came_near"] = "came_near"
    place: str


class TaxAssessed(
    Event,
    origin="experiment",
    lane="rules",
    in_words="season {season}: owes {share:.1%}",
    is_detailed=True,
):
    """The share of its items that an agent owes.

    A judge (a model) derived the share from a law in words.
    """

    kind: Literal["tax_assessed"] = "tax_assessed"
    season: int
    share: float


class FeedbackGiven(
    Event, origin="experiment", lane="talk", in_words="of the law: “{text}”", is_detailed=True
):
    """The opinion of an agent about the constitution."""

    kind: Literal["feedback"] = "feedback"
    text: str


class AmendmentProposed(
    Event,
    origin="experiment",
    lane="rules",
    in_words="amendment {number}: {text}",
    is_detailed=True,
):
    """An amendment was proposed. ``sets`` are the numbers that the amendment changes.

    ``judged`` says whether a judge (a model) would have to apply the words of the amendment.
    """

    kind: Literal["amendment"] = "amendment"
    number: int
    text: str
    sets: dict[str, float]
    judged: bool = False


class BallotCast(Event, origin="experiment", lane="rules", is_detailed=True):
    """An agent voted. ``choices`` has one vote per amendment, in the order of the amendments."""

    kind: Literal["vote"] = "vote"
    choices: list[Literal["yes", "no", "abstain"]]

    def summary(self) -> str:
        return f"votes {', '.join(self.choices)}"


class AmendmentTallied(Event, origin="experiment", lane="rules", is_detailed=True):
    """The votes on an amendment were counted."""

    kind: Literal["tally"] = "tally"
    number: int
    yes: int
    no: int
    abstain: int
    passed: bool

    def summary(self) -> str:
        counts = f"{self.yes} yes, {self.no} no, {self.abstain} abstain"
        return f"amendment {self.number}: {counts}: {'passed' if self.passed else 'failed'}"


class LawChanged(Event, origin="experiment", lane="rules", is_detailed=True):
    """A new version of the constitution is in force from now on."""

    kind: Literal["law_changed"] = "law_changed"
    version: int
    text: str
    parameters: dict[str, float]

    def summary(self) -> str:
        numbers = ", ".join(f"{name} = {value:g}" for name, value in self.parameters.items())
        return f"version {self.version} of the law is in force: {numbers}"


def directness(level: int) -> str:
    """Name a level of conversion."""
    return "direct" if level > 1 else "indirect"


class Converted(Event, origin="experiment", lane="mind"):
    """An agent's level of conversion rose because of what it said: 1 is indirect, 2 is direct.

    Attributes:
        heard_from: the first agent that mentioned the religion or its food when this agent
            could hear it; None if there was none.
        believed: whether the agent believed from the start, as priests do. An agent that
            believed from the start does not count as a convert.
    """

    kind: Literal["converted"] = "converted"
    level: int
    position: Position
    heard_from: str | None = None
    believed: bool = False

    def summary(self) -> str:
        if self.believed:
            return f"spreads the faith ({directness(self.level)}), as a believer from the start"
        return f"becomes {'a' if self.level > 1 else 'an'} {directness(self.level)} convert"
