"""Events of cooperating agents: claims, messages, agreements, breaches of law, reputations."""

from __future__ import annotations

from typing import Literal

from voxpolis.records.events.base import Event, Position


class GrassChanged(Event, origin="world", lane=None):
    """Cells where grass appeared and disappeared in a step; positions are (row, 0, column)."""

    kind: Literal["grass_changed"] = "grass_changed"
    appeared: list[Position]
    vanished: list[Position]


class SightChanged(Event, origin="world", lane=None):
    """An agent starts or stops seeing an apple; ``out``: the agent is out of the game."""

    kind: Literal["sight_changed"] = "sight_changed"
    apples: Literal["some", "none", "out"]


class ActsCounted(Event, origin="experiment", lane="rules", is_detailed=True):
    """Agents' acts in a finished round, as counted by the world: agent → act → number."""

    kind: Literal["acts_counted"] = "acts_counted"
    round: int
    acts: dict[str, dict[str, int]]

    def summary(self) -> str:
        told = (
            f"{agent} {', '.join(f'{name} {count}' for name, count in own.items())}"
            for agent, own in self.acts.items()
        )
        return f"round {self.round}: {'; '.join(told)}"


class HypothesisMade(
    Event,
    origin="experiment",
    lane="mind",
    in_words="supposes ({number}): {text} [{test}]",
    is_detailed=True,
):
    """An agent adopted a hypothesis.

    ``test`` is its checkable form, or ``free``; ``about`` is ``world`` or an agent's name;
    ``source`` is the agent that claimed it, with ``trust`` from 0 to 1 (None: the agent's own
    idea).
    """

    kind: Literal["hypothesis"] = "hypothesis"
    number: int
    text: str
    test: str
    about: str
    source: str | None = None
    trust: float | None = None


class HypothesisJudged(
    Event,
    origin="experiment",
    lane="mind",
    in_words="hypothesis {number} is {status}: {hits:g} of {tries:g}",
    is_detailed=True,
):
    """A hypothesis became a rule, was dropped, or is open again, according to its tests."""

    kind: Literal["hypothesis_judged"] = "hypothesis_judged"
    number: int
    status: Literal["open", "rule", "dropped"]
    tries: float
    hits: float


class PredictionMade(
    Event,
    origin="experiment",
    lane="mind",
    in_words="predicts ({number}): {test}, with {probability:.0%}",
    is_detailed=True,
):
    """An agent stated the probability that something happens by a certain round."""

    kind: Literal["prediction"] = "prediction"
    number: int
    test: str
    probability: float
    due: int


class PredictionSettled(
    Event,
    origin="experiment",
    lane="mind",
    in_words="prediction {number} is true: {is_true}",
    is_detailed=True,
):
    """A prediction was settled; ``brier`` is (probability - outcome) squared.

    ``is_true`` and ``brier`` are None if the condition of the prediction did not occur.
    """

    kind: Literal["prediction_settled"] = "prediction_settled"
    number: int
    is_true: bool | None
    brier: float | None


class MessagePassed(
    Event, origin="experiment", lane="talk", in_words="to {to} ({act}): “{text}”", is_detailed=True
):
    """An agent sent another a message: it asked, offered, answered, accepted, refused or told.

    In AdaSociety's games ``act`` is always ``tell``, and only the addressee reads the text.
    """

    kind: Literal["message_passed"] = "message_passed"
    to: str
    act: Literal["ask", "offer", "answer", "accept", "refuse", "tell"]
    text: str


class ClaimChecked(
    Event,
    origin="experiment",
    lane="rules",
    in_words="told {to}: {test}, which was {is_true}",
    is_detailed=True,
):
    """A claim that one agent made to another, and whether it was true at that moment in the world.

    ``trust`` is how far the hearer believed it; ``in_answer``: it answered a question.
    """

    kind: Literal["claim_checked"] = "claim_checked"
    to: str
    test: str
    is_true: bool
    trust: float | None
    in_answer: bool


class AgreementMade(Event, origin="experiment", lane="rules", is_detailed=True):
    """An agent accepted an offer; ``forms`` are the terms that code settles, if any.

    ``promises`` are the numbers of its promises, by promiser.
    """

    kind: Literal["agreement"] = "agreement"
    number: int
    parties: list[str]
    terms: str
    forms: list[str]
    promises: dict[str, list[int]]

    def summary(self) -> str:
        return f"agreement {self.number} of {' and '.join(self.parties)}: {self.terms}"


class PromiseSettled(
    Event,
    origin="experiment",
    lane="rules",
    in_words="promise {number} ({form}) kept: {kept}",
    is_detailed=True,
):
    """An agent kept or broke a promise, according to the record."""

    kind: Literal["promise_settled"] = "promise_settled"
    number: int
    agreement: int
    form: str
    kept: bool


class ArticleBroken(
    Event,
    origin="experiment",
    lane="rules",
    in_words="broke article {article} ({what}): fine {fine:g}, banned until round {banned_until}",
    is_detailed=True,
):
    """An agent broke an article of the constitution, with the penalty."""

    kind: Literal["article_broken"] = "article_broken"
    article: int
    what: str
    fine: float
    shares: dict[str, float]
    banned_until: int = 0


class ReputationPublished(
    Event, origin="experiment", lane="rules", in_words="reputation {value:.1f}", is_detailed=True
):
    """An agent's reputation: ``exact`` from its promises, ``model`` from other agents' judgement.

    All values are from 0 to 10; ``model`` is None if no judgement was readable.
    """

    kind: Literal["reputation"] = "reputation"
    exact: float
    model: float | None
    value: float
    kept: int
    broken: int
