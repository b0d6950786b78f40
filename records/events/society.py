"""Events of societies: speech and minds, elections and taxes, and the spread of a faith."""

from __future__ import annotations

from typing import Literal

from voxpolis.records.events.base import Counts, Event, Position, counted


class Spoke(Event, origin="experiment", lane="talk"):
    """An agent's utterance, its position, and the agents that heard it."""

    kind: Literal["spoke"] = "spoke"
    text: str
    hearers: list[str]
    position: Position

    def summary(self) -> str:
        return f"“{self.text}” ({len(self.hearers)} hear)"


class Introduced(Event, origin="experiment", lane="mind"):
    """An agent joined a society: its description of itself, and its modules."""

    kind: Literal["introduced"] = "introduced"
    traits: str
    modules: list[str]

    def summary(self) -> str:
        return self.traits or "says the prescribed words"


class GoalSet(Event, origin="mind", lane="mind", in_words="goal: {text}"):
    """An agent's new social goal; ``home`` is the agent's town."""

    kind: Literal["goal"] = "goal"
    text: str
    home: str = ""


class Decided(Event, origin="mind", lane="mind"):
    """The controller made a decision: an action, a topic to talk about, an expected result.

    ``expects`` is empty if there is no expectation. Repeating a decision in progress has no effect.
    """

    kind: Literal["decided"] = "decided"
    action: str
    about: str
    expects: str = ""

    def summary(self) -> str:
        return f"decides: {self.action}" + (f", about {self.about}" if self.about else "")


class SentimentChanged(Event, origin="mind", lane="mind", in_words="likes {about}: {value} of 10"):
    """How much an agent likes another, from 0 (hates) to 10 (loves)."""

    kind: Literal["sentiment"] = "sentiment"
    about: str
    value: int


class ProfileWritten(Event, origin="mind", lane="mind", in_words="of {about}: {text}"):
    """An agent's updated knowledge of another, in one line."""

    kind: Literal["profile"] = "profile"
    about: str
    text: str


class ProfileScored(
    Event, origin="experiment", lane=None, in_words="feels {score:.1f} of 10 about {about}"
):
    """An agent's feeling about another agent, rated from its profile of that agent: 0 to 10."""

    kind: Literal["profile_score"] = "profile_score"
    about: str
    score: float
    text: str


class ActionDone(Event, origin="experiment", lane="world"):
    """Outcome of an action, according to the world.

    ``action`` and ``item``: such as MINE and coal. ``ok``: the action succeeded; otherwise
    ``reason`` says why not. ``gained``, ``spent``: items by the action's rule; ``to``: receiver of
    a gift.
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
    """Role that an agent's latest social goals indicate, according to the experiment's lexicon."""

    kind: Literal["role"] = "role"
    role: str
    goals: list[str]


class BeliefCorrected(Event, origin="mind", lane="mind", in_words="believed otherwise: {text}"):
    """The expected result of an action did not occur; the belief was corrected."""

    kind: Literal["belief_corrected"] = "belief_corrected"
    text: str


class DecisionRefused(
    Event, origin="mind", lane="mind", in_words="decided in vain: {action}: {reason}"
):
    """An agent's decision is impossible: it names something absent or unavailable."""

    kind: Literal["decision_refused"] = "decision_refused"
    action: str
    reason: str


class ExpectationEnded(
    Event, origin="mind", lane="mind", in_words="expected {expected} of {action}: {outcome}"
):
    """Expected result of an action compared with the actual result in the world.

    ``outcome`` is ``met``, ``partly``, ``missed`` or ``other``; ``actual`` is the change in the
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
    """An agent made a claim that was false in the world at that moment.

    ``claim``: to have an ``item``, to have none, to have made one, or to be eating.
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
    """An experiment inserted a false memory into an agent."""

    kind: Literal["memory_injected"] = "memory_injected"
    text: str


class ReflexFired(Event, origin="mind", lane="mind", in_words="reflex: {cause}"):
    """A reflex acted without a thought."""

    kind: Literal["reflex"] = "reflex"
    cause: str


class MindFailed(Event, origin="mind", lane="mind", in_words="no answer for {role}: {message}"):
    """A mind gave no usable answer; ``message`` begins with the cause."""

    kind: Literal["mind_failed"] = "mind_failed"
    role: str
    message: str


class SeasonOpened(
    Event, origin="experiment", lane="rules", in_words="season {season} opens, tax {tax_rate:.1%}"
):
    """Start of a tax season: the tax that the law demands, and how long the chest is observed."""

    kind: Literal["season_opened"] = "season_opened"
    season: int
    tax_rate: float
    window_s: float


class TaxPaid(Event, origin="experiment", lane="rules", is_detailed=True):
    """An agent's payment into the community chest in a season, according to the world's state.

    ``held`` is its inventory when the season opened, ``paid`` the decrease until the end; ``share``
    is the number of pieces paid divided by pieces held (0 for an agent that had nothing).
    """

    kind: Literal["tax_paid"] = "tax_paid"
    season: int
    held: Counts
    paid: Counts
    share: float

    def summary(self) -> str:
        paid, held = counted(self.paid), counted(self.held)
        return f"season {self.season}: paid {paid} of {held} ({self.share:.1%})"


class TaxAssessed(
    Event,
    origin="experiment",
    lane="rules",
    in_words="season {season}: owes {share:.1%}",
    is_detailed=True,
):
    """Share of an agent's items that a law in words demands, as a judge applied it."""

    kind: Literal["tax_assessed"] = "tax_assessed"
    season: int
    share: float


class FeedbackGiven(
    Event, origin="experiment", lane="talk", in_words="of the law: “{text}”", is_detailed=True
):
    """An agent's opinion of the constitution."""

    kind: Literal["feedback"] = "feedback"
    text: str


class AmendmentProposed(
    Event,
    origin="experiment",
    lane="rules",
    in_words="amendment {number}: {text}",
    is_detailed=True,
):
    """An amendment on the ballot, and the numbers that it sets; ``judged``: a judge applies it."""

    kind: Literal["amendment"] = "amendment"
    number: int
    text: str
    sets: dict[str, float]
    judged: bool = False


class BallotCast(Event, origin="experiment", lane="rules", is_detailed=True):
    """A ballot: yes, no or abstain for each amendment, in the order of the amendments."""

    kind: Literal["vote"] = "vote"
    choices: list[Literal["yes", "no", "abstain"]]

    def summary(self) -> str:
        return f"votes {', '.join(self.choices)}"


class AmendmentTallied(Event, origin="experiment", lane="rules", is_detailed=True):
    """Count of votes on an amendment."""

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
    """The constitution in force from now on."""

    kind: Literal["law_changed"] = "law_changed"
    version: int
    text: str
    parameters: dict[str, float]

    def summary(self) -> str:
        numbers = ", ".join(f"{name} = {value:g}" for name, value in self.parameters.items())
        return f"version {self.version} of the law is in force: {numbers}"


class Converted(Event, origin="experiment", lane="mind", in_words="conversion level {level}"):
    """An agent's level of conversion rose because of its own words: 1 indirect, 2 direct.

    ``heard_from``: the first agent that mentioned the faith or its food within this agent's
    hearing, if any. ``believed``: it believed before, as priests do; then it does not count as a
    convert.
    """

    kind: Literal["converted"] = "converted"
    level: int
    position: Position
    heard_from: str | None = None
    believed: bool = False
