"""Modules of cooperation in a contract game: an episode is a round.

Before each episode agents think and talk, one after another; when it is over its acts are counted
from the world's own account, promises are settled, fines are taken, and reputations and votes have
their turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pydantic import Field

from voxpolis.bots.agents.generative import Persona
from voxpolis.bots.models import ChatModel
from voxpolis.experiments.loops.contract.scenario import ContractScenario, Situation
from voxpolis.experiments.loops.cooperation.cooperation import (
    ActsCooperation,
    ActsPlace,
    Cooperation,
)
from voxpolis.experiments.loops.cooperation.scripted import (
    ActsCompanion,
    ActsModules,
    ModuleNames,
    modules_option,
)
from voxpolis.worlds.protocol import Account

# Which round is about to begin, in words.
NOW = "Episode {round} is about to begin; an episode is a round. No game time passes now."


class CooperatingScenario(ActsModules, ContractScenario):
    """A contract game whose agents can carry modules of cooperation."""

    modules: ModuleNames = modules_option(
        "agents", " An episode is then a round, played once: see --episodes."
    )
    duty_fine: float = Field(
        default=10.0, ge=0, le=20, description="Emeralds that a neglected duty costs by law. Ours."
    )

    @property
    def chosen(self) -> str:
        """Which modules agents carry, as they were named."""
        return self.modules

    @property
    def duty_costs(self) -> float:
        """Emeralds."""
        return self.duty_fine

    def cooperation(self) -> Cooperation | None:
        """Return the modules that agents carry, and how they work; None: none."""
        return self.rules()


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
        self._before = dict.fromkeys(scenario.agent_names, 0.0)
        place = ActsPlace(scenario.agent_names, scenario.counted_acts, NOW)
        beings = [Persona(name, "", briefed(name)) for name in scenario.agent_names]
        super().__init__(rules, beings, place, model, note)

    def count(self, account: Account) -> dict[str, float]:
        """Count the acts of an episode that is over; return what fines and payments bring each."""
        self.take_acts(self._scenario.acts(account))
        totals = self.transfers()
        brought = {name: totals[name] - self._before[name] for name in totals}
        self._before = dict(totals)
        return brought


def keeps_its_part(companions: Mapping[str, ActsCompanion], situation: Situation) -> bool:
    """Return whether a scripted mind plays its part in an episode; without modules it does not."""
    own = companions.get(situation.agent)
    if own is None or situation.known is None:
        return False
    return own.keeps_its_part(situation.known, len(situation.past) + 1)
