"""Fishing: fishers share a lake, choose a catch each month, talk, and may lose all fish.

Source of the game: Piatti et al., "Cooperate or Collapse: Emergence of Sustainable Cooperation in a
Society of LLM Agents" (2024), the fishery. In each month all fishers choose their catch at the same
time. The remaining fish then double, up to the lake's capacity. If fewer fish than a threshold
remain, the lake is dead. After each catch, fishers see what everybody has caught, and talk. We
added a condition in which the fishers first negotiate a contract about payments, which is settled
at the end.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from pydantic import Field

from voxpolis.bots.models import ChatRequest
from voxpolis.bots.models.scripted import Script
from voxpolis.bots.models.typed import Answer, integer, narrowed
from voxpolis.bots.prompts import quoted
from voxpolis.experiments.loops.choices import (
    Choice,
    ChoiceScenario,
    Line,
    advance,
    ask_all,
    converse,
)
from voxpolis.experiments.loops.institutions import negotiate, settle
from voxpolis.experiments.run.agents import names
from voxpolis.experiments.run.options import UsageError, agents_option
from voxpolis.experiments.run.scenario import Case as Repetition
from voxpolis.experiments.run.scenario import Entry, Run
from voxpolis.judge import Case, Contract, Outcome, Terms
from voxpolis.judge.contracts.compiling import ClauseAnswer
from voxpolis.judge.contracts.negotiation import Accept, Propose, Turn, TurnAnswer
from voxpolis.worlds.circle import Circle

RULES = """\
You are one of {count} fishers at a lake: {all}. It carries at most {capacity} tons of fish. Each
month all of you choose at the same time how many tons to catch; what is left then doubles, up to
{capacity} tons. If fewer than {threshold} tons are left after a catch, the lake is dead and nobody
ever catches anything again. Your reward is all that you catch in up to {rounds} months. You want it
to be as large as possible."""
EMERALDS = "An emerald that a contract moves counts as a ton."


class Catch(Answer):
    """How much you catch this month."""

    tons: int = Field(description="Tons of fish that you catch.")


@dataclass(frozen=True)
class Moment:
    """The knowledge of a fisher when it is asked: the past months, and the fish in the lake."""

    fisher: str
    months: Sequence[Entry]
    fish: float


class Fishing(ChoiceScenario):
    """The scenario and its settings."""

    name: ClassVar[str] = "fishing"
    measures: ClassVar[Sequence[str]] = (*ChoiceScenario.measures, "mean.months_survived")
    conditions: ClassVar[Mapping[str, str]] = {
        "talk": "the fishers talk after each catch",
        "silent": "the fishers never talk",
        "contract": "the fishers negotiate a contract before the first month, and never talk later",
    }

    agents: int = agents_option(5, 30, "Number of fishers.", least=2)
    rounds: int = Field(
        default=12, ge=1, le=1000, description="Number of months. Source: the paper."
    )
    capacity: int = Field(
        default=100,
        ge=10,
        le=100_000,
        description="Maximum amount of fish in the lake, in tons. Source: the paper.",
    )
    threshold: int = Field(
        default=5, ge=0, description="Amount of fish in tons below which the lake is dead."
    )

    @property
    def agent_names(self) -> Sequence[str]:
        return names(self.agents)

    @property
    def optimum(self) -> float:
        """Leave just enough fish for a full, living lake each month, and none in the last."""
        left = max(math.ceil(self.capacity / 2), self.threshold)
        return float((self.rounds - 1) * (self.capacity - left) + self.capacity)

    def prepared(self) -> None:
        """Check that the lake is alive at the start."""
        super().prepared()
        if self.threshold > self.capacity:
            raise UsageError(
                "setting threshold: the lake would be dead from the start; choose at most capacity"
            )

    async def play(self, run: Run) -> None:
        """Let the fishers catch and talk each month until the lake is dead or the last month is
        over.
        """
        self.begin(run)
        contract = Contract("none", "")
        if run.condition == "contract":
            briefings = dict.fromkeys(self.agent_names, f"{self.rules()} {EMERALDS}")
            contract, _ = await negotiate(run, briefings, self.terms(), 3 * self.agents)
        lake = Circle(run.note, self.agent_names, ("the lake", "water", "sand"), self.capacity)
        total = Counter[str]()
        fish, months, said = float(self.capacity), list[Entry](), list[tuple[str, str]]()
        for number in range(1, self.rounds + 1):
            lake.fill("fish", round(fish))
            asked = partial(self.catching, months=months, fish=fish, lines=said, contract=contract)
            answers = await ask_all(run, self.agent_names, asked)
            wanted = {name: answer.tons for name, answer in answers.items()}
            # if fishers want more than there is, everyone gets proportionally less
            part = min(1.0, fish / max(1, sum(wanted.values())))
            caught = {name: part * tons for name, tons in wanted.items()}
            left = fish - sum(caught.values())
            is_dead = left < self.threshold
            advance(run, 0.5)
            lake.fill("fish", round(left))
            total.update(caught)
            lake.heap("caught_fish", total)
            months.append(self.end_round(run, number, caught, before=fish, left=left))
            fish = left if is_dead else min(float(self.capacity), 2 * left)
            if is_dead:
                break
            if run.condition == "talk":
                said = await converse(run, self.agent_names, partial(self.talking, months))
        lake.fill("fish", round(fish))
        survived = len(months) if months[-1]["left"] < self.threshold else self.rounds
        transfers = await self.settled(run, contract, months) if contract.text else None
        self.end(
            run, months, transfers=transfers, months_survived=survived, lake=fish / self.capacity
        )

    # --- The contract ----------------------------------------------------------------------------

    def terms(self) -> Terms:
        """Return what a contract can refer to: the fishers, and the total catch of each fisher in
        tons.
        """
        most = min(self.capacity * self.rounds, 1_000_000)
        return Terms(self.agent_names, {}, counts={f"caught({n})": most for n in self.agent_names})

    async def settled(
        self, run: Run, contract: Contract, months: Sequence[Entry]
    ) -> Mapping[str, float]:
        """Settle the contract, and return each fisher's transfer in tons. No fisher pays more than
        its own catch.
        """
        caught = {n: sum(month["payoffs"].get(n, 0) for month in months) for n in self.agent_names}
        outcome = Outcome(counted={f"caught({n})": round(tons) for n, tons in caught.items()})
        text = _history(months, last=len(months))
        case = Case(contract, tuple(caught), outcome, text, caught, self.rules(), values=caught)
        return (await settle(run, case)).transfers

    # --- Questions to fishers --------------------------------------------------------------------

    def rules(self) -> str:
        """Describe the rules of the game for a fisher."""
        return RULES.format(
            count=self.agents,
            all=", ".join(self.agent_names),
            capacity=self.capacity,
            threshold=self.threshold,
            rounds=self.rounds,
        )

    def catching(
        self,
        name: str,
        months: Sequence[Entry],
        fish: float,
        lines: Sequence[tuple[str, str]],
        contract: Contract,
    ) -> Choice[Catch]:
        """Return the question about a fisher's catch."""
        talk = f"\nYour contract:\n{quoted(contract.text)}" if contract.text else ""
        talk += "".join(f"\n{who} said: {text}" for who, text in lines)
        text = f"{_history(months)}{talk}\nThe lake has {fish:.0f} tons. How many do you catch?"
        about = Moment(name, list(months), fish)
        narrow = partial(narrowed, Catch, tons=integer(0, int(fish)))
        return Choice(self.rules(), text, Catch, about, narrow)

    def talking(self, months: Sequence[Entry], name: str, lines: str) -> Choice[Line]:
        """Return the question that asks a fisher what to tell all fishers."""
        text = (
            f"{_history(months)}\nAll of you talk about the next month.\n{lines}\nWhat do you say?"
        )
        about = Moment(name, list(months), months[-1]["left"])
        return Choice(self.rules(), text, Line, about, role="say")

    def script(self, case: Repetition) -> Script:
        """Return scripted fishers, who divide the monthly growth equally. Without talk, one of them
        takes twice its share.
        """

        def answer(request: ChatRequest) -> Answer:
            about: Any = request.about
            if isinstance(about, Turn):
                return self.bargained(about)
            share = int(about.fish / 2 / self.agents)
            if request.role == "say":
                return Line(say=f"Let each of us catch {share} tons.")
            is_greedy = case.condition == "silent" and about.fisher == self.agent_names[-1]
            return Catch(tons=2 * share if is_greedy else share)

        return answer

    def bargained(self, turn: Turn) -> TurnAnswer:
        """Return a scripted fisher's turn in the negotiation.

        The proposal: if a fisher catches more than the fair share, this fisher pays the excess to
        the first fisher. The first fisher itself pays nothing.
        """
        if turn.open is not None:
            return TurnAnswer(note=None, message=None, move=Accept(proposal=turn.open))
        first, *others = self.agent_names
        share = self.capacity * self.rounds // 2 // self.agents
        amounts = {name: f"max(0, caught({name}) - {share})" for name in others}
        clauses = [
            ClauseAnswer(payer=name, receiver=first, amount=amount, condition=None)
            for name, amount in amounts.items()
        ]
        terms = [f"Who catches more than {share} tons pays the rest to {first}."]
        return TurnAnswer(note=None, message=None, move=Propose(terms=terms, clauses=clauses))


def _history(months: Sequence[Entry], last: int = 5) -> str:
    told = (
        f"Month {month['round']}: {_in_words(month['payoffs'])}; {month['left']:.0f} tons left."
        for month in months[-last:]
    )
    return "\n".join(told) or "This is the first month."


def _in_words(caught: Mapping[str, float]) -> str:
    return ", ".join(f"{name} caught {tons:.0f}" for name, tons in caught.items())
