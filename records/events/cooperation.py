"""Events of cooperating agents: claims, messages, agreements, breaches of law and reputations."""

from __future__ import annotations

from typing import Literal

from voxpolis.records.events.base import Event, Position


class GrassChanged(Event, origin="world", lane=None):
    """Grass appeared on and disappeared from some cells in a step.

    Positions are (row, 0, column).
    """

    kind: Literal["grass_changed"] = "grass_changed"
    appeared: list[Position]
    vanished: list[Position]


class SightChanged(Event, origin="world", lane=None):
    """An agent begins or ceases to see apples; ``out`` means that the agent is out of the game."""

    kind: Literal["sight_changed"] = "sight_changed"
    apples: Literal["some", "none", "out"]


class ActsCounted(Event, origin="experiment", lane="rules", is_detailed=True):
    """The number of acts in a round that has ended, by agent and act, as the world counts them."""

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

    Attributes:
        test: the form of the hypothesis that code can check, or ``free``.
        about: ``world``, or the name of an agent.
        source: the agent from whom the hypothesis comes; None if it is the agent's own idea.
        trust: how far the agent trusted the source, from 0 to 1; None if it is the agent's own
            idea.
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
    """After its tests, a hypothesis became a rule, was dropped, or is open for further tests."""

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
    """An agent stated how probable it is that a claim comes true by a certain round."""

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
    """A prediction was settled.

    ``brier`` is the squared difference between the predicted probability and the outcome (0 or 1).
    ``is_true`` and ``brier`` are None if the condition of the prediction did not occur.
    """

    kind: Literal["prediction_settled"] = "prediction_settled"
    number: int
    is_true: bool | None
    brier: float | None


class MessagePassed(
    Event, origin="experiment", lane="talk", in_words="to {to} ({act}): “{text}”", is_detailed=True
):
    """An agent sent another agent a message.

    ``act`` says whether it is a question, an offer, an answer, a reply to an offer, or (``tell``)
    words to another agent in AdaSociety's games. Only the addressee reads such words.
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
    """An agent made a claim to another agent, and code checked whether it was true at that moment.

    Attributes:
        trust: how far the hearer believed the claim, from 0 to 1.
        in_answer: whether the claim was part of an answer to a question.
    """

    kind: Literal["claim_checked"] = "claim_checked"
    to: str
    test: str
    is_true: bool
    trust: float | None
    in_answer: bool


class AgreementMade(Event, origin="experiment", lane="rules", is_detailed=True):
    """An agent accepted the offer of another agent.

    Attributes:
        forms: the terms that code settles, if any.
        promises: a dictionary from each agent that promises something to the numbers of its
            promises.
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
    """An agent kept or broke a promise, according to what it did."""

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
    """An agent broke an article of the constitution, and was punished."""

    kind: Literal["article_broken"] = "article_broken"
    article: int
    what: str
    fine: float
    shares: dict[str, float]
    banned_until: int = 0


class ReputationPublished(
    Event, origin="experiment", lane="rules", in_words="reputation {value:.1f}", is_detailed=True
):
    """The reputation of an agent was published. All values are from 0 to 10.

    ``exact`` is computed from the agent's promises. ``model`` is the judgement of the other agents;
    None if no judgement was readable.
    """

    kind: Literal["reputation"] = "reputation"
    exact: float
    model: float | None
    value: float
    kept: int
    broken: int
