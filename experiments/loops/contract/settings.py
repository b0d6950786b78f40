"""What can be varied about every contract scenario, and how a condition is played."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from voxpolis.experiments.loops.contract.memory import Memory
from voxpolis.experiments.loops.contract.protocol import GREED, TASKS
from voxpolis.experiments.loops.cooperation.rules import Cooperation
from voxpolis.experiments.run.options import RunOptions, option
from voxpolis.judge import Contract, JudgeKind
from voxpolis.judge.contracts.negotiation import ROUNDS
from voxpolis.judge.deeds.acts import Act, Counts
from voxpolis.worlds.protocol import Account


class ContractOptions(RunOptions):
    """What the commands of contract scenarios take besides."""

    condition: str | None = Field(
        default="none",
        description="The contract: none, a shipped one's name, negotiate, or a text FILE of yours.",
        json_schema_extra=option("condition", "contract"),
    )
    rounds: int = Field(
        default=ROUNDS, ge=1, description="Messages that players have to negotiate."
    )
    compiled: bool = Field(
        default=False,
        description="Let a model make clauses of what is negotiated in words, for an exact judge.",
        json_schema_extra=option("compile"),
    )
    renegotiate: bool = Field(
        default=False,
        description="Negotiate before each episode, knowing what came of those before.",
    )
    memory: Memory = Field(
        default="last",
        description="Which of their earlier episodes players are told of, with --episodes: none, "
        "last or all. Source of last: the paper's action prompt.",
    )
    negotiate_only: int | None = Field(
        default=None,
        ge=1,
        le=10_000,
        description="Let the players negotiate so many contracts, and play none: tells what each "
        "would bring, and keeps the texts.",
        json_schema_extra=option("negotiate-only"),
    )
    judge: JudgeKind = Field(
        default="exact",
        description="exact: by code where it can be, else by the judge model; model; or both, "
        "which measures the model's error.",
    )


class ContractSettings(BaseModel):
    """What can be varied about every contract scenario (``--set``, ``--config``)."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

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
    def counted_acts(self) -> tuple[Act, ...]:
        """Nothing: its agents carry no modules of cooperation."""
        return ()

    def acts(self, _account: Account) -> Counts:
        """Return nothing."""
        return {}

    def cooperation(self) -> Cooperation | None:
        """Return None."""
        return None

    @property
    def cares(self) -> str:
        """What a player is told to care for."""
        return GREED[self.greed]

    @property
    def task(self) -> str:
        """The same in the third person, as the judge is told."""
        return TASKS[self.greed]


@dataclass(frozen=True)
class PlayTerms:
    """How a condition is played.

    Attributes:
        condition: its name.
        contract: the one that is given; what players begin with where they negotiate.
        rounds: messages that players have to negotiate; None where the contract is given.
        judge: who settles.
        compiled: have clauses made of what is proposed in words.
        renegotiate: before each episode, knowing what came of those before, instead of once.
        episodes: that the same agents play.
        memory: which of those before the agents are told of.
        is_language_model: whether there is a judge model.
    """

    condition: str
    contract: Contract
    rounds: int | None
    judge: JudgeKind
    compiled: bool
    renegotiate: bool
    episodes: int
    memory: Memory
    is_language_model: bool
