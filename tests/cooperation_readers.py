"""How each role of the modules of cooperation is read, of agents by the trees of a commons."""

from __future__ import annotations

from bots.agents.cooperation.exchanges import ReplyRequest, SpeakRequest, WeighRequest, Words
from bots.agents.cooperation.known import Finding, Known
from bots.agents.cooperation.requests import (
    CheckRequest,
    InduceRequest,
    PredictRequest,
    RateRequest,
)
from bots.agents.cooperation.wording import Claim, Language, Moment
from worlds.commons.claims import read_claim

PEOPLE = ("Ada", "Bo", "Cy")
LANGUAGE = Language(PEOPLE, (), (), lambda text: str(read_claim(text, PEOPLE)))
MOMENT = Moment("Ada", "", "", "", (), (), Known(), 2, 7)
TWO = (Claim("a", "free"), Claim("b", "free"))


def _claims(claims):
    return [[one.text, one.test] for one in claims]


def _induced(answer):
    found = InduceRequest(MOMENT, (), LANGUAGE).read(answer)
    return [[claim.text, about, claim.test] for claim, about in found]


def _spoken(answer):
    words = SpeakRequest(MOMENT, ("Bo", "Cy"), LANGUAGE).read(answer)
    said = [words.act, words.to, words.text, words.terms, words.test, _claims(words.claims)]
    return said if words.act != "nothing" else ["nothing"]


def _replied(act, answer):
    said = ReplyRequest(MOMENT, "Bo", Words(act, "Ada", "?", "t", claims=TWO), LANGUAGE).read(
        answer
    )
    return [said.text, list(said.trust), said.accepts, _claims(said.claims)]


#: By role: its reader, whose values are lists and texts.
COOPERATING = {
    "induce": _induced,
    "predict": lambda answer: [
        list(one) for one in PredictRequest(MOMENT, "", 5, LANGUAGE).read(answer)
    ],
    "check": lambda answer: list(
        CheckRequest(MOMENT, (), (Finding("a", "free"), Finding("b", "free"))).read(answer)
    ),
    "speak": _spoken,
    "reply": lambda answer: _replied("ask", answer),
    "reply to offer": lambda answer: _replied("offer", answer),
    "weigh": lambda answer: list(WeighRequest(MOMENT, "Bo", "?", "!", TWO).read(answer)),
    "rate": lambda answer: dict(RateRequest("Ada", {"Bo": (), "Cy": ()}, {}).read(answer)),
}
