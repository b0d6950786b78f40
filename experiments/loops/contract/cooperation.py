"""Cooperation modules in a contract game, in which each episode counts as a round.

Before an episode, agents think and talk one after another. After the episode, the modules count
what the agents did according to the world, settle promises, collect fines, and update reputations
and votes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pydantic import Field

from voxpolis.bots.agents.generative import Persona
from voxpolis.bots.models import ChatModel
from voxpolis.experiments.loops.contract.scenario import ContractScenario, Situation
from voxpolis.experiments.loops.cooperation.cooperation import (
    ActsContext,
    ActsCooperation,
    Cooperation,
)
from voxpolis.experiments.loops.cooperation.scripted import (
    ActsCompanion,
    ActsModules,
    ModuleNames,
    modules_option,
)
from voxpolis.worlds.protocol import Account

# Announcement of the next round to agents.
NOW = "Episode {round} is about to begin; an episode is a round. No game time passes now."


class CooperatingScenario(ActsModules, ContractScenario):
    """A contract game whose agents can carry cooperation modules."""

    modules: ModuleNames = modules_option(
        "agents", " An episode is then one round without retries: see --episodes."
    )
    duty_fine: float = Field(
        default=10.0,
        ge=0,
        le=20,
        description="Fine in emeralds for a neglected duty. Our choice.",
    )

    @property
    def chosen(self) -> str:
        """The setting that selects the agents' modules, as the user wrote it."""
        return self.modules

    @property
    def duty_costs(self) -> float:
        """The fine for a neglected duty, in emeralds."""
        return self.duty_fine

    def cooperation(self) -> Cooperation | None:
        """Return the agents' modules and their parameters, or None if agents carry none."""
        return self.rules()


class ContractCooperation(ActsCooperation):
    """The cooperation modules and institutions in all episodes of one repetition."""

    def __init__(
        self,
        rules: Cooperation,
        scenario: ContractScenario,
        briefed: Callable[[str], str],
        model: ChatModel,
        note: Callable[..., object],
    ) -> None:
        """Prepare the first episode.

        Args:
            rules: which modules agents carry, and their parameters.
            scenario: the scenario.
            briefed: returns an agent's briefing.
            model: the model of all agents.
            note: records an event, given its class, the agent and its fields.
        """
        self._scenario = scenario
        self._before = dict.fromkeys(scenario.agent_names, 0.0)
        context = ActsContext(scenario.agent_names, scenario.counted_acts, NOW)
        participants = [Persona(name, "", briefed(name)) for name in scenario.agent_names]
        super().__init__(rules, participants, context, model, note)

    def count(self, account: Account) -> dict[str, float]:
        """Count what agents did in a finished episode. Return how much each agent receives
        (negative: pays) because of these acts.
        """
        self.take_acts(self._scenario.acts(account))
        totals = self.transfers()
        brought = {name: totals[name] - self._before[name] for name in totals}
        self._before = dict(totals)
        return brought


def keeps_its_part(companions: Mapping[str, ActsCompanion], situation: Situation) -> bool:
    """Return whether a scripted agent does its part for the group in an episode. Agents without
    modules never do.
    """
    own = companions.get(situation.agent)
    if own is None or situation.known is None:
        return False
    return own.keeps_its_part(situation.known, len(situation.past) + 1)
