"""Scripted villagers: they work, talk about the tax, are persuaded, vote, and pay.

The model, with its rates in :class:`Ways`:

- Each has a wish for the tax rate. Constituents' wishes are normal around ``wish``; influencers'
  are fixed, uniform in ``pro`` or ``anti``.
- Who hears a wish moves towards it by a part of the distance: ``persuasion`` for an influencer's,
  ``gossip`` for anybody else's. Influencers do not move.
- Who complies pays what the law asks for, with a relative error of ``error``; who does not
  (``1 - compliance``, drawn each season) pays nothing.
- A vote is for what comes nearer to one's wish than the law, against what leads away from it, and
  an abstention within ``indifference``. Amendments without numbers get a yes with ``civic``.
"""

from __future__ import annotations

import random
import re
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from bots.models import Message

_BELL = re.compile(r"tax season (\d+)[^%]*?(\d+(?:\.\d+)?) %", re.IGNORECASE)
_WISH = re.compile(r"tax should be (\d+(?:\.\d+)?) %")
_HEARD = re.compile(r"^(\w+): (.*)$", re.MULTILINE)
_LAW = re.compile(r"tax_rate = (\d+(?:\.\d+)?)")
_SET = re.compile(r"SET tax_rate = (\d+(?:\.\d+)?)")
_HEAD = re.compile(r"^\*{3}Amendment\d+\*{3}$", re.MULTILINE)
_NEAR = re.compile(r"Near you: (.*)\.$", re.MULTILINE)
_DECIDED = re.compile(r"You have just decided: (\w+) ?(.*?)\. You want to talk about: (.*)$", re.M)
#: What somebody who says what they are about to do says.
ANNOUNCED = {
    "WORK": "I am at my work.",
    "GO": "I am going to {target}.",
    "VISIT": "I am visiting {target}.",
    "PAY": "I am paying my tax.",
    "REST": "I am resting.",
}


class Ways(BaseModel):
    """The rates of the model; shares are parts of 1."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    wish: float = Field(default=0.2, ge=0, le=1, description="Mean wish of constituents.")
    wish_sd: float = Field(default=0.03, ge=0, le=1)
    anti: tuple[float, float] = Field(
        default=(0.05, 0.10), description="What anti-tax influencers want. Source: Project Sid."
    )
    pro: tuple[float, float] = Field(
        default=(0.25, 0.35), description="What pro-tax influencers want: at least 25 %."
    )
    persuasion: float = Field(default=0.06, ge=0, le=1)
    gossip: float = Field(default=0.02, ge=0, le=1)
    compliance: float = Field(default=0.99, ge=0, le=1)
    error: float = Field(default=0.08, ge=0, le=1)
    indifference: float = Field(default=0.01, ge=0, le=1)
    civic: float = Field(default=0.7, ge=0, le=1)
    sociable: float = Field(default=0.25, ge=0, le=1, description="Chance of a visit, not work.")
    talkative: float = Field(default=0.3, ge=0, le=1, description="Chance to speak when one can.")


@dataclass
class _Villager:
    """One person: what it wants, and what it has done."""

    chance: random.Random
    is_influencer: bool
    wish: float
    paid: int = 0


class Villagers:
    """A script for a whole village; see the module's text for the model."""

    def __init__(
        self,
        constituents: Iterable[str],
        influencers: Mapping[str, str],
        ways: Ways,
        seed: int,
        helpers: Iterable[str] = (),
    ) -> None:
        """``influencers`` are pro or anti by name; ``helpers`` have no wish (the manager)."""
        self.ways = ways
        self.people: dict[str, _Villager] = {}
        self._helpers = set(helpers)
        for name in (*constituents, *sorted(self._helpers)):
            chance = random.Random(f"{seed} {name} person")
            wish = min(max(chance.gauss(ways.wish, ways.wish_sd), 0.0), 1.0)
            self.people[name] = _Villager(chance, False, wish)
        for name, stance in influencers.items():
            chance = random.Random(f"{seed} {name} person")
            low, high = ways.pro if stance == "pro" else ways.anti
            self.people[name] = _Villager(chance, True, chance.uniform(low, high))

    def __call__(self, role: str, agent: str | None, messages: Sequence[Message]) -> str:
        """Answer a prompt as the person would."""
        asked, who = messages[-1]["content"], self.people[str(agent)]
        answers: dict[str, Callable[[], str]] = {
            "decide": lambda: self._decide(who, asked, str(agent)),
            "talk": lambda: self._talk(who, asked),
            "social": lambda: self._judge(who, asked),
            "feedback": lambda: f"The tax should be {_percent(who.wish)} %. All else may stay.",
            "amendments": lambda: _amend(asked),
            "ballot": lambda: self._vote(who, asked),
            "goal": lambda: "GOAL: Be on good terms with those around me.",
            "plan": lambda: "Talk to those who are near.",
        }
        return answers.get(role, lambda: "Nothing of note happened.")()

    def _decide(self, who: _Villager, asked: str, name: str) -> str:
        bells = _BELL.findall(asked)
        if bells and int(bells[-1][0]) > who.paid:
            who.paid = int(bells[-1][0])
            return f"ACTION: PAY {self._due(who, float(bells[-1][1])):.2f} %\nABOUT: tax"
        if who.is_influencer or who.chance.random() < self.ways.sociable:
            others = [o for o in self.people if o != name and o not in self._helpers]
            return f"ACTION: VISIT {who.chance.choice(others)}\nABOUT: tax"
        return f"ACTION: WORK\nABOUT: {'tax' if who.chance.random() < 0.5 else 'nothing'}"

    def _due(self, who: _Villager, law_percent: float) -> float:
        if who.chance.random() >= self.ways.compliance:
            return 0.0
        return min(max(law_percent * (1 + who.chance.gauss(0, self.ways.error)), 0.0), 100.0)

    def _talk(self, who: _Villager, asked: str) -> str:
        if not who.is_influencer and who.chance.random() >= self.ways.talkative:
            return "SILENT"
        found = _DECIDED.search(asked)
        kind, target, about = found.groups() if found else ("", "", "")
        if kind not in ANNOUNCED:  # nobody told the mouth what was decided
            kind, target = who.chance.choice(list(ANNOUNCED)), "somebody"
        said = ANNOUNCED[kind].format(target=target)
        if "tax" in about or who.is_influencer:
            said += f" I say the tax should be {_percent(who.wish)} %."
        return said

    def _judge(self, who: _Villager, asked: str) -> str:
        answer = []
        for speaker, text in _HEARD.findall(asked.split("# You heard", 1)[-1]):
            found, other = _WISH.search(text), self.people.get(speaker)
            if found is None or other is None:
                continue
            far = float(found[1]) / 100 - who.wish
            answer.append(f"LIKES {speaker} {max(0, 8 - round(abs(far) * 40))}")
            if not who.is_influencer:
                rate = self.ways.persuasion if other.is_influencer else self.ways.gossip
                who.wish += rate * far
        if not answer:
            return "NOTHING"
        return "\n".join([*answer, f"BELIEVES tax: it should be {_percent(who.wish)} %"])

    def _vote(self, who: _Villager, asked: str) -> str:
        found = _LAW.search(asked)
        law = float(found[1]) if found else self.ways.wish
        choices = []
        for text in _HEAD.split(asked)[1:]:
            rate = _SET.search(text.split("\n# ", 1)[0])
            if rate is None:
                choices.append("yes" if who.chance.random() < self.ways.civic else "no")
                continue
            gain = abs(law - who.wish) - abs(float(rate[1]) - who.wish)
            near = abs(gain) <= self.ways.indifference
            choices.append("abstain" if near else "yes" if gain > 0 else "no")
        return ", ".join(choices)


def _amend(asked: str) -> str:
    """What an election manager makes of what people said: the median wish, and one in words."""
    wishes = [float(text) for text in _WISH.findall(asked)]
    if not wishes:
        return "***Amendment1***\nEverything stays as it is."
    rate = statistics.median(wishes) / 100
    return (
        f"***Amendment1***\nThe tax is {_percent(rate)} % of what each holds.\n"
        f"SET tax_rate = {rate:.3f}\n"
        "***Amendment2***\nAfter each season the village is told what was paid."
    )


def _percent(rate: float) -> str:
    return f"{rate * 100:.1f}"
