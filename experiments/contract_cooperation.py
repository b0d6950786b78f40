"""Modules of cooperation in a contract game: an episode is a round.

Before each episode agents think and talk, one after another; when it is over its acts are counted
from the world's own account, promises are settled, fines are taken, and reputations and votes have
their turn.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar, cast

from pydantic import Field, PositiveInt, field_validator, model_validator

from bots.agents.generative import Persona
from bots.models import ChatModel
from experiments.acts import ActsPlace
from experiments.acts_cooperation import ActsCooperation
from experiments.contract_protocol import ContractScenario, Situation
from experiments.contract_settings import ContractSettings
from experiments.cooperation_protocol import MODULES, Cooperation, modules_in
from experiments.options import option
from experiments.scripted_acts import ActsCompanion, ActsKnowledge
from experiments.scripted_cooperation import Manners
from judge.penalties import first_constitution
from worlds.protocol import Account

#: Which round is about to begin, in words.
NOW = "Episode {round} is about to begin; an episode is a round. No game time passes now."
_EACH = "from one {} to the next."


class CooperatingSettings(ContractSettings):
    """What can be varied about a contract scenario whose agents can carry modules."""

    name: ClassVar[str]

    modules: str = Field(
        default="",
        description="Modules of cooperation that agents carry, with commas, or all: "
        f"{', '.join(MODULES)}. An episode is then a round, played once: see --episodes.",
        json_schema_extra=option("modules"),
    )
    confirm: PositiveInt = Field(default=5, description="Hits that make a hypothesis a rule.")
    understand_every: PositiveInt = Field(
        default=1, description=f"Episodes {_EACH.format('search for rules')}"
    )
    reputation_every: PositiveInt = Field(
        default=1, description=f"Episodes {_EACH.format('publication of reputations')}"
    )
    amend_every: PositiveInt = Field(
        default=5, description=f"Episodes {_EACH.format('vote on the constitution')}"
    )
    duty_fine: float = Field(
        default=10.0, ge=0, le=20, description="Emeralds that a neglected duty costs by law. Ours."
    )
    manners: dict[str, Manners] = Field(
        default={}, description="By agent, how its scripted mind cooperates."
    )

    @field_validator("modules")
    @classmethod
    def _known_modules(cls, modules: str) -> str:
        modules_in(modules)
        return modules

    @model_validator(mode="after")
    def _manners_of_players(self) -> CooperatingSettings:
        agents = cast(ContractScenario, self).agents
        if unknown := sorted(set(self.manners) - set(agents)):
            raise ValueError(f"manners.{unknown[0]}: the players are {' and '.join(agents)}")
        return self

    @abstractmethod
    def knowledge(self) -> ActsKnowledge:
        """Return the scenario's claims, deeds and duty, and what scripted minds know of them."""

    def cooperation(self) -> Cooperation | None:
        """Return the modules that agents carry; None: none."""
        chosen = modules_in(self.modules)
        if not chosen:
            return None
        lent = self.knowledge().lent
        return Cooperation(
            chosen,
            lent,
            first_constitution(lent.account, self.duty_fine),
            understand_every=self.understand_every,
            predict_rounds=1,
            confirm=self.confirm,
            amend_every=self.amend_every,
            reputation_every=self.reputation_every,
        )

    def companions(self, agents: tuple[str, ...], seed: int = 0) -> dict[str, ActsCompanion]:
        """Return the scripted minds' answers to modules, by agent; none where they carry none."""
        if not self.modules:
            return {}
        knowledge = self.knowledge()
        return {
            name: ActsCompanion(
                name,
                self.manners.get(name, Manners()),
                f"{self.name} {seed} {name}",
                knowledge=knowledge,
            )
            for name in agents
        }


class ContractCooperation(ActsCooperation):
    """Modules and institutions through the episodes of one repetition."""

    def __init__(
        self,
        rules: Cooperation,
        scenario: ContractScenario,
        briefed: Callable[[str], str],
        model: ChatModel,
        note: Callable[..., object],
    ) -> None:
        """Begin before the first episode.

        Args:
            rules: which modules agents carry.
            scenario: what is played.
            briefed: returns what an agent is told of the game.
            model: answers for all.
            note: records an event: its class, the agent, and its fields.
        """
        self._scenario = scenario
        self._before = dict.fromkeys(scenario.agents, 0.0)
        place = ActsPlace(scenario.agents, scenario.counted_acts, NOW)
        beings = [Persona(name, "", briefed(name)) for name in scenario.agents]
        super().__init__(rules, beings, place, model, note)

    def count(self, account: Account) -> dict[str, float]:
        """Count the acts of an episode that is over; return what fines and payments bring each."""
        self.take_acts(self._scenario.acts(account))
        totals = self.run.transfers()
        brought = {name: totals[name] - self._before[name] for name in totals}
        self._before = dict(totals)
        return brought


def told(scenario: ContractScenario, situation: Situation) -> str:
    """Return what an agent is told: the scenario's briefing, and what its modules tell it."""
    return scenario.briefing(situation) + situation.known.sections()
