"""What can be varied about modules of cooperation, as settings of scenarios declare it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, PositiveInt, model_validator

from voxpolis.experiments.loops.cooperation.rules import (
    MODULES,
    Cooperation,
    modules_in,
)
from voxpolis.experiments.loops.cooperation.scripted import ActsCompanion, ActsKnowledge, Manners
from voxpolis.experiments.run.options import option
from voxpolis.judge.law.penalties import first_constitution


def _known(chosen: str) -> str:
    modules_in(chosen)
    return chosen


#: Modules by their names; see :func:`experiments.loops.cooperation.rules.modules_in`.
ModuleNames = Annotated[str, AfterValidator(_known)]
#: How modules work, as settings say it; each scenario has defaults of its own.
Hits = Annotated[PositiveInt, Field(description="Hits that make a hypothesis a rule.")]
SearchEvery = Annotated[
    PositiveInt, Field(description="Rounds from one search for rules to the next.")
]
ReputationEvery = Annotated[
    PositiveInt, Field(description="Rounds from one publication of reputations to the next.")
]
AmendEvery = Annotated[
    PositiveInt, Field(description="Rounds from one vote on the constitution to the next.")
]


def modules_option(who: str, more: str = "") -> Any:
    """Return the field ``--modules`` of settings: which modules some people carry."""
    told = f"Modules of cooperation that {who} carry, with commas, or all: {', '.join(MODULES)}."
    return Field(default="", description=f"{told}{more}", json_schema_extra=option("modules"))


class ActsModules(BaseModel):
    """What can be varied where rounds are counted as acts; a part of a scenario's settings.

    It is for who declares ``--modules`` by :func:`modules_option`, under a name of its own.
    """

    confirm: Hits = 5
    understand_every: SearchEvery = 1
    reputation_every: ReputationEvery = 1
    amend_every: AmendEvery = 5
    manners: dict[str, Manners] = Field(
        default={}, description="By who carries modules, how its scripted mind cooperates."
    )

    @property
    @abstractmethod
    def chosen(self) -> str:
        """Which modules are carried, as they were named."""

    @property
    @abstractmethod
    def duty_costs(self) -> float:
        """What a neglected duty costs by the first law."""

    @abstractmethod
    def knowledge(self) -> ActsKnowledge:
        """Return the scenario's claims, deeds and duty, and what scripted minds know of them."""

    @model_validator(mode="after")
    def _carried_by_several(self) -> ActsModules:
        names = self.knowledge().promised
        if self.chosen and len(names) < 2:
            raise ValueError("--modules are for two people or more")
        if unknown := sorted(set(self.manners) - set(names)):
            known = ", ".join([*names][:3]) + ", …" * (len(names) > 3)
            raise ValueError(f"manners.{unknown[0]}: nobody has that name; there are {known}")
        return self

    def rules(self) -> Cooperation | None:
        """Return the modules that are carried, and how they work; None: none are."""
        chosen = modules_in(self.chosen) if self.chosen else ()
        if not chosen:
            return None
        lent = self.knowledge().lent
        return Cooperation(
            chosen,
            lent,
            first_constitution(lent.account, self.duty_costs),
            understand_every=self.understand_every,
            predict_rounds=1,
            confirm=self.confirm,
            amend_every=self.amend_every,
            reputation_every=self.reputation_every,
        )

    def companions(self, seed: str) -> Mapping[str, ActsCompanion]:
        """Return the scripted minds' answers to modules, by name; none where none are carried."""
        if not self.chosen:
            return {}
        knowledge, manners = self.knowledge(), self.manners
        return {
            name: ActsCompanion(
                name, manners.get(name, Manners()), f"{seed} {name}", knowledge=knowledge
            )
            for name in knowledge.promised
        }
