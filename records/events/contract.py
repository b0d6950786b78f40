"""Events of contracts: negotiation, agreement and settlement."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from voxpolis.records.events.base import Event


class NegotiationMessage(Event, origin="experiment", lane="talk", is_detailed=True):
    """A public message in a negotiation. ``proposal`` is the contract that the message proposes, if
    any.
    """

    kind: Literal["negotiation_message"] = "negotiation_message"
    text: str
    proposal: str | None
    accepts: bool

    def summary(self) -> str:
        parts = [f"“{self.text}”"] if self.text else []
        parts += ["proposes a contract"] if self.proposal else []
        return ", ".join([*parts, "accepts"] if self.accepts else parts)


class HiddenThought(
    Event, origin="experiment", lane="mind", in_words="thinks: {text}", is_detailed=True
):
    """A private thought of an agent during a negotiation. Other agents do not see it."""

    kind: Literal["hidden_thought"] = "hidden_thought"
    text: str


class ContractAgreed(Event, origin="experiment", lane="rules", is_detailed=True):
    """A contract is in force. ``clauses`` are its formal clauses, if any.

    The text of a negotiated contract is empty if the players did not agree.
    """

    kind: Literal["contract_agreed"] = "contract_agreed"
    name: str
    text: str
    clauses: list[str] = Field(default=[])

    def summary(self) -> str:
        if self.name == "none" or (self.name == "negotiated" and not self.text):
            return "no contract is in force"
        return f"contract {self.name} is in force"


class Judgement(Event, origin="experiment", lane="rules", is_detailed=True):
    """The contract was settled.

    Attributes:
        method: exact (by code), model (by the judge model) or none (no settlement).
        critiques: what the judge model told each agent.
        error: how far the judge model's transfers are from the exact transfers, in emeralds; None
            unless both were computed.
    """

    kind: Literal["judgement"] = "judgement"
    method: Literal["exact", "model", "none"]
    transfers: dict[str, float]
    reasons: list[str]
    critiques: dict[str, str] = Field(default_factory=dict)
    error: float | None = None

    def summary(self) -> str:
        paid = ", ".join(f"{agent} {amount:+g}" for agent, amount in self.transfers.items())
        return f"settled ({self.method}): {paid or 'no transfers'}"


class Transfer(Event, origin="experiment", lane="rules", is_detailed=True):
    """An agent receives (> 0) or pays (< 0) an amount. All transfers of an episode sum to zero."""

    kind: Literal["transfer"] = "transfer"
    amount: float

    def summary(self) -> str:
        return f"{'gets' if self.amount >= 0 else 'pays'} {abs(self.amount):g}"


class Reward(
    Event,
    origin="experiment",
    lane="rules",
    in_words="reward {reward:g} = {value:g} {transfer:+g}",
    is_detailed=True,
):
    """The reward of an agent, which is the value of its items plus its transfer."""

    kind: Literal["reward"] = "reward"
    value: float
    transfer: float
    reward: float
