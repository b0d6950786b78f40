"""The cooperation modules of one agent: hypotheses, messages, trust and ratings.

The modules do not depend on the world. The world supplies the wording of claims and decides
whether a claim came true.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from voxpolis.bots.agents.cooperation.hypotheses import CONFIRM, Count, Hypotheses, Hypothesis
from voxpolis.bots.agents.cooperation.knowledge import FREE
from voxpolis.bots.agents.cooperation.requests import (
    CheckRequest,
    Claim,
    InduceRequest,
    Language,
    Moment,
    PredictRequest,
    RateRequest,
    Reply,
    ReplyRequest,
    SpeakRequest,
    WeighRequest,
    Words,
)
from voxpolis.bots.asking import ask_or_none
from voxpolis.bots.models import ChatModel
from voxpolis.records import events

# An agent explains this many recent changes, and remembers this many lines of conversation.
HISTORY, TALK = 30, 6
# A claim is "free" if no code can check it. One question to the model contains at most this many
# free hypotheses.
MOST_CHECKED = 5

# Records an event of an agent. The arguments are the event's class, the agent's name and the
# event's fields.
Note = Callable[..., object]


class Companion:
    """The cooperation modules of one agent.

    Attributes:
        hypotheses: the agent's hypotheses and predictions.
        talk: the latest lines of the agent's conversations with other agents.
        is_surprised: whether one of the agent's predictions has failed since :meth:`understand`
            last ran.
    """

    def __init__(
        self, name: str, model: ChatModel, language: Language, note: Note, confirm: float = CONFIRM
    ) -> None:
        self.name = name
        self.hypotheses = Hypotheses(confirm)
        self.talk: list[str] = []
        self.is_surprised = False
        self._model = model
        self._language = language
        self._note = note
        self._history: list[str] = []

    def perceive(self, changes: Sequence[str]) -> None:
        self._history = [*self._history, *changes][-HISTORY:]

    # --- Understanding ----------------------------------------------------------------------------

    async def understand(self, moment: Moment, plan: str, rounds: int) -> None:
        """Update the agent's view of the world with three questions to the model.

        The model proposes rules, judges the hypotheses that code cannot check, and predicts the
        next ``rounds`` rounds.
        """
        self.is_surprised = False
        induced = InduceRequest(moment, tuple(self._history), self._language)
        for claim, about in await ask_or_none(self._model, self.name, induced) or ():
            self._suppose(claim, about, moment.hour)
        free = [one for one in self.hypotheses.of("open") if one.test is None][:MOST_CHECKED]
        if free:
            findings = tuple(one.finding() for one in free)
            request = CheckRequest(moment, tuple(self._history), findings)
            verdicts = await ask_or_none(self._model, self.name, request)
            for one, verdict in zip(free, verdicts or (), strict=False):
                if verdict != "unknown":
                    before = one.counted
                    one.counted = Count(before.tries + 1, before.hits + (verdict == "true"))
            self._note_judged(self.hypotheses.judged())
        question = PredictRequest(moment, plan, rounds, self._language)
        for test, probability in await ask_or_none(self._model, self.name, question) or ():
            due = moment.round + rounds
            made = self.hypotheses.predict(test, probability, moment.hour, due)
            fields = {"test": str(test), "probability": probability, "due": due}
            self._note(events.PredictionMade, self.name, number=made.number, **fields)

    def settle(self, count: Callable[[Hypothesis], Count]) -> None:
        """Recount all hypotheses that code can check.

        When another agent's claim is confirmed or refuted, this agent's trust in that agent
        changes.
        """
        self._note_judged(self.hypotheses.settle(count))

    def _note_judged(self, changed: Iterable[Hypothesis]) -> None:
        for one in list(changed):
            fields = {"status": one.status, "tries": one.tries, "hits": one.hits}
            self._note(events.HypothesisJudged, self.name, number=one.number, **fields)
            if one.source and one.status != "open" and not one.is_weighed:
                one.is_weighed = True
                self.hypotheses.learn(one.source, is_true=one.status == "rule")

    def settle_predictions(
        self, came: Callable[[object, int, int], tuple[bool, bool | None]]
    ) -> None:
        """Settle the predictions that are due.

        Args:
            came: a function that takes the test of a prediction, the time at which the prediction
                was made, and the last round in which the prediction can come true. It returns
                whether the prediction is settled, and whether the prediction came true (None: its
                condition did not occur).
        """
        for one in list(self.hypotheses.predictions):
            is_settled, outcome = came(one.test, one.made_at, one.due)
            if is_settled:
                brier = self.hypotheses.settle_prediction(one, outcome)
                fields = {"number": one.number, "is_true": outcome, "brier": brier}
                self._note(events.PredictionSettled, self.name, **fields)
                if outcome is not None and outcome != (one.probability >= 0.5):
                    self.is_surprised = True

    def _suppose(
        self,
        claim: Claim,
        about: str,
        hour: int,
        source: str = "",
        trust: float | None = None,
        *,
        is_weighed: bool = False,
    ) -> None:
        one = self.hypotheses.add(claim.text, claim.test, about, hour, source, trust)
        if one is not None:
            one.is_weighed = is_weighed
            test = FREE if one.test is None else str(one.test)
            fields = {"text": one.text, "test": test, "about": about}
            whose = {"source": source or None, "trust": trust}
            self._note(events.HypothesisMade, self.name, number=one.number, **fields, **whose)

    def hear(
        self,
        source: str,
        claims: Sequence[Claim],
        trust: Sequence[float],
        hour: int,
        checked: Collection[object] = (),
    ) -> None:
        """Store another agent's claims as hypotheses, with this agent's trust in them.

        Args:
            source: the agent that made the claims.
            claims: the claims.
            trust: the trust in each claim, from 0 to 1.
            hour: the current time in the world.
            checked: claims whose truth has already changed the trust in ``source``. Hypotheses
                about these claims do not change the trust a second time.
        """
        for claim, share in zip(claims, trust, strict=False):
            weighed = claim.test in checked
            self._suppose(claim, "world", hour, source, share, is_weighed=weighed)

    # --- Communication ----------------------------------------------------------------------------

    async def speak(self, moment: Moment, hearing: Sequence[str]) -> Words:
        question = SpeakRequest(moment, tuple(hearing), self._language)
        said = await ask_or_none(self._model, self.name, question)
        return said or Words("nothing")

    async def reply(self, moment: Moment, speaker: str, words: Words) -> Reply | None:
        question = ReplyRequest(moment, speaker, words, self._language)
        return await ask_or_none(self._model, self.name, question)

    async def weigh(
        self, moment: Moment, speaker: str, question: str, reply: Reply
    ) -> tuple[float, ...]:
        """Ask how far the agent trusts each claim of a reply.

        Returns:
            One number from 0 to 1 per claim; empty if the answer was unusable.
        """
        asks = WeighRequest(moment, speaker, question, reply.text, reply.claims)
        return await ask_or_none(self._model, self.name, asks) or ()

    def remember(self, line: str) -> None:
        self.talk = [*self.talk, line][-TALK:]

    # --- Reputation -------------------------------------------------------------------------------

    async def rate(
        self, deeds: Mapping[str, tuple[str, ...]], kept: Mapping[str, tuple[int, int]]
    ) -> Mapping[str, float]:
        """Ask the agent to rate how reliable the other agents are.

        Args:
            deeds: the recorded deeds of each agent, one sentence per deed.
            kept: how many promises each agent has kept, and how many it has broken.

        Returns:
            A rating from 0 to 10 for each agent; empty if the answer was unusable.
        """
        question = RateRequest(self.name, deeds, kept)
        return await ask_or_none(self._model, self.name, question) or {}
