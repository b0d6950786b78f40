"""Events of contracts: what is negotiated and agreed, and how it is settled."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from records.event import Event


class NegotiationMessage(Event):
    """What an agent said to all in a negotiation; ``proposal`` is the contract it proposed."""

    kind: Literal["negotiation_message"] = "negotiation_message"
    text: str
    proposal: str | None
    accepts: bool


class HiddenThought(Event):
    """What an agent thought while it negotiated; shown to no other agent."""

    kind: Literal["hidden_thought"] = "hidden_thought"
    text: str


class ContractAgreed(Event):
    """The contract in force; ``clauses`` are its formal ones, where it has any."""

    kind: Literal["contract_agreed"] = "contract_agreed"
    name: str
    text: str
    clauses: list[str] = Field(default=[])


class Judgement(Event):
    """How the judge settled the contract: ``method`` is exact, model or none.

    ``error`` is the judge model's in emeralds, where it was asked besides an exact settlement.
    """

    kind: Literal["judgement"] = "judgement"
    method: Literal["exact", "model", "none"]
    transfers: dict[str, float]
    reasons: list[str]
    error: float | None = None


class Transfer(Event):
    """What an agent gets (> 0) or pays (< 0) by the judgement. All of an episode sum to zero."""

    kind: Literal["transfer"] = "transfer"
    amount: float


class Reward(Event):
    """An agent's value of its items, and its reward: value plus transfer."""

    kind: Literal["reward"] = "reward"
    value: float
    transfer: float
    reward: float


class Critique(Event):
    """The critic's view of an agent's episode, for the agent's next prompt."""

    kind: Literal["critique"] = "critique"
    success: bool
    text: str
