"""What can be varied about every contract scenario."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from experiments.contract_protocol import GREED, TASKS
from experiments.options import option


class ContractSettings(BaseModel):
    """What can be varied about every contract scenario (``--set``, ``--config``)."""

    model_config = ConfigDict(extra="forbid")

    time_limit_s: float = Field(
        default=120,
        gt=0,
        le=86_400,
        description="Seconds of game time that an episode may take. Source: the paper's code.",
        json_schema_extra=option("time-limit"),
    )
    max_attempts: int = Field(
        default=4,
        ge=1,
        le=100,
        description="Programs an agent may write until all run without an error. Source: Voyager.",
    )
    greed: int = Field(
        default=1,
        ge=0,
        le=len(GREED) - 1,
        description="What players are told to care for: 0 all, 1 themselves (the paper), 2 "
        "themselves at any price.",
    )
    may_owe: bool = Field(
        default=True,
        description="Whether a judgement may take more from a player than what it holds is worth.",
    )

    @property
    def cares(self) -> str:
        """What a player is told to care for."""
        return GREED[self.greed]

    @property
    def task(self) -> str:
        """The same in the third person, as the judge is told."""
        return TASKS[self.greed]
