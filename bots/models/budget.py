"""What calls cost, and a budget that ends a run before it is passed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from bots.models.model import ChatModel, ChatRequest, Completion, ModelError
from bots.models.settings import ModelSettings
from records.yaml_text import load_yaml

#: What a message costs besides its text, which has no more tokens than bytes in any tokenizer.
TOKENS_A_MESSAGE = 8
SHIPPED_PRICES = Path(__file__).parent / "prices.yaml"

Unit = Literal["dollars", "tokens", "calls"]


class Price(BaseModel):
    """Dollars for a million tokens."""

    model_config = ConfigDict(extra="forbid")

    prompt: float = Field(ge=0)
    completion: float = Field(ge=0)

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Dollars for so many tokens."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1e6


Prices = dict[str, Price]
_PRICES: TypeAdapter[Prices] = TypeAdapter(Prices)


def read_prices(path: Path = SHIPPED_PRICES) -> Prices:
    """Read a price table.

    Raises:
        OSError: it cannot be read.
        yaml.YAMLError: it is not YAML.
        pydantic.ValidationError: it is no price table.
    """
    return _PRICES.validate_python(load_yaml(path.read_text(encoding="utf-8")))


def price_of(prices: Mapping[str, Price], model: str) -> Price | None:
    """A model's price: that of the longest name it begins with; None where there is none."""
    fitting = [name for name in prices if model.startswith(name)]
    return prices[max(fitting, key=len)] if fitting else None


class BudgetError(ModelError):
    """The next call could pass the budget."""


@dataclass(frozen=True)
class Budget:
    """So much of something: ``2.5 dollars``, ``100000 tokens``, ``200 calls``."""

    amount: float
    unit: Unit

    @classmethod
    def parse(cls, text: str) -> Budget:
        """Read a budget as a person writes it.

        Raises:
            ValueError: it is none.
        """
        found = re.fullmatch(r"\s*(?:\$\s*([\d.]+)|([\d.]+)\s*(dollars|tokens|calls))\s*", text)
        try:
            amount = float(found[1] or found[2]) if found else 0.0
        except ValueError:
            amount = 0.0
        if found is None or amount <= 0:
            raise ValueError('a budget is such as "2.50 dollars", "100000 tokens" or "200 calls"')
        units: dict[str, Unit] = {"dollars": "dollars", "tokens": "tokens", "calls": "calls"}
        return cls(amount, units[found[3] or "dollars"])

    def __str__(self) -> str:
        return f"{self.amount:g} {self.unit}"


class BudgetedModel:
    """Passes calls on while the budget holds for them, counting what calls under way may take."""

    def __init__(
        self, model: ChatModel, budget: Budget, settings: ModelSettings, prices: Prices
    ) -> None:
        """Watch over a model.

        Raises:
            ModelError: the budget is in dollars, and a model has no price.
        """
        self._model = model
        self._budget = budget
        self._settings = settings
        self._prices = prices
        self.spent = 0.0
        self._reserved = 0.0
        names = {settings.model, *(r.model for r in settings.roles.values() if r.model)}
        unpriced = sorted(name for name in names if price_of(prices, name) is None)
        if budget.unit == "dollars" and unpriced:
            raise ModelError(f"no price is known for {', '.join(unpriced)}: give one with --prices")

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a conversation; see :class:`~bots.models.model.ChatModel`.

        Raises:
            BudgetError: the call could pass the budget.
        """
        asked = self._settings.request(request)
        text_bytes = sum(len(message["content"].encode()) for message in request.messages)
        prompt_tokens = text_bytes + TOKENS_A_MESSAGE * len(request.messages)
        most = self._count(asked.model, prompt_tokens, asked.max_tokens)
        if self.spent + self._reserved + most > self._budget.amount:
            raise BudgetError(
                f"the budget of {self._budget} could be passed by the next call; "
                f"{self.spent:g} are spent"
            )
        self._reserved += most
        try:
            answer = await self._model.complete(request)
        finally:
            self._reserved -= most
        used = (answer.prompt_tokens, answer.completion_tokens)
        known = None not in used
        self.spent += self._count(asked.model, used[0] or 0, used[1] or 0) if known else most
        return answer

    def _count(self, model: str, prompt_tokens: int, completion_tokens: int) -> float:
        if self._budget.unit == "calls":
            return 1.0
        if self._budget.unit == "tokens":
            return float(prompt_tokens + completion_tokens)
        price = price_of(self._prices, model)
        assert price is not None
        return price.cost(prompt_tokens, completion_tokens)
