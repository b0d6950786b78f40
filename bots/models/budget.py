"""A budget for model calls. The run ends before a call could exceed the budget."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from voxpolis.bots.models.model import ChatModel, ChatRequest, Completion, Message, ModelError
from voxpolis.bots.models.prices import Prices, cost_of, price_of
from voxpolis.bots.models.recorded import paid_calls
from voxpolis.bots.models.settings import OMIT, ModelSettings
from voxpolis.bots.models.typed import wire_schema
from voxpolis.records.text import caseless, many

# A message has at most one token per byte of its text, plus this many.
TOKENS_A_MESSAGE = 8
# The length that is assumed for answers without a limit, in tokens.
UNBOUNDED_TOKENS = 16_000

Unit = Literal["dollars", "tokens", "calls"]
_UNITS: dict[str, Unit] = {
    **{"dollars": "dollars", "dollar": "dollars", "usd": "dollars"},
    **{"tokens": "tokens", "token": "tokens", "calls": "calls", "call": "calls"},
}
_THOUSANDS = {"": 1.0, "k": 1e3, "m": 1e6}
_NUMBER = r"(\d[\d,_]*(?:\.\d+)?(?:e\+?\d{1,2})?|\.\d+)"
_BUDGET = caseless(rf"\s*(?:\$\s*{_NUMBER}|{_NUMBER}\s*([km]?)\s*({'|'.join(_UNITS)}))\s*")


class BudgetError(ModelError):
    """The next call could exceed the budget, and is therefore not made."""

    kind = "ends_run"


@dataclass(frozen=True)
class Budget:
    """A budget: an amount of dollars, tokens or calls."""

    amount: float
    unit: Unit

    @classmethod
    def parse(cls, text: str) -> Budget:
        """Parse a budget as people write it: ``$5``, ``200k tokens``, ``1e6 tokens``, ``1 call``.

        Raises:
            ValueError: the text is not a budget.
        """
        found = _BUDGET.fullmatch(text)
        number, times, unit = (found[1] or found[2], found[3], found[4]) if found else ("0", "", "")
        amount = float(re.sub("[,_]", "", number)) * _THOUSANDS[(times or "").lower()]
        if not 0 < amount < float("inf"):
            raise ValueError(
                'write a budget like "2.50 dollars", "$5", "100000 tokens", "200k tokens" or '
                '"300 calls"'
            )
        of = _UNITS[(unit or "dollars").lower()]
        if of != "dollars" and amount != int(amount):
            raise ValueError(f"the number of {of} must be whole, not {amount:g}")
        return cls(amount, of)

    def less(self, usage: Mapping[str, Any]) -> Budget:
        """Return what is left of the budget after a run; ``usage`` is what the run's result says it
        used.

        If the run used more than the budget, the amount that is left is 0.
        """
        tokens = sum(usage.get(kind) or 0 for kind in ("prompt_tokens", "completion_tokens"))
        spent = {"dollars": usage.get("cost"), "tokens": tokens, "calls": usage.get("calls")}
        return Budget(max(0.0, self.amount - (spent[self.unit] or 0)), self.unit)

    def __str__(self) -> str:
        if self.unit == "dollars":
            return f"${_shown(self.amount)}"
        return f"{_shown(self.amount)} {self.unit}"


def _shown(amount: float) -> str:
    return f"{amount:,.0f}" if amount >= 1e6 else f"{amount:g}"


class BudgetedModel:
    """Passes calls on to another model until the next call could exceed the budget.

    While a call is in progress, the maximum that the call may use counts as spent.
    """

    def __init__(
        self,
        model: ChatModel,
        budget: Budget,
        settings: ModelSettings,
        prices: Prices,
        before: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        """Wrap a model.

        ``before`` contains the recorded calls of a resumed run, which count as spent.

        Raises:
            ModelError: the budget is in dollars, and the price of a model is unknown.
        """
        self._model = model
        self._budget = budget
        self._settings = settings
        self._prices = prices
        self.spent = 0.0
        self._reserved = 0.0
        self._under_way = 0
        unpriced = [name for name in settings.models if price_of(prices, name) is None]
        if budget.unit == "dollars" and unpriced:
            raise ModelError(
                f"no price is known for {', '.join(unpriced)}: specify one with --prices, or a "
                "budget of tokens or calls"
            )
        for call in before:
            for requested, answer in paid_calls([call]):
                self.spent += self._taken(requested, answer, self._most_before(call, answer))
            if call.get("cut_off"):
                self.spent += self._most_before(call, Completion("", ""))

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a conversation; see :class:`~bots.models.model.ChatModel`.

        Raises:
            BudgetError: the call could exceed the budget.
        """
        asked = self._settings.request(request)
        length = UNBOUNDED_TOKENS if asked.max_tokens == OMIT else asked.max_tokens
        schema = json.dumps(wire_schema(request.answer())) if request.answer else ""
        prompt = _prompt_tokens(request.messages) + len(schema.encode())
        most = self._most(asked.model, prompt, length)
        if self.spent + self._reserved + most > self._budget.amount:
            raise BudgetError(
                f"the next call could exceed the budget of {self._budget}; "
                f"{_shown(self.spent)} are spent{self._open()}"
            )
        self._reserved += most
        self._under_way += 1
        try:
            answer = await self._model.complete(request)
        except ModelError as error:
            if error.answer is not None:
                self.spent += self._taken(asked.model, error.answer, most)
            raise
        except asyncio.CancelledError:
            self.spent += most  # the endpoint may still answer and charge for the call
            raise
        finally:
            self._reserved -= most
            self._under_way -= 1
        self.spent += self._taken(asked.model, answer, most)
        return answer

    def _open(self) -> str:
        """Describe the calls in progress and the maximum that they may use.

        The result is empty if there are no calls in progress.
        """
        if not self._under_way:
            return ""
        calls = f"{many(self._under_way, 'call')} under way"
        most = "" if self._budget.unit == "calls" else f", which may take {_shown(self._reserved)}"
        return f", plus {calls}{most}"

    def _most(self, model: str, prompt_tokens: int, completion_tokens: int) -> float:
        if self._budget.unit == "calls":
            return 1.0
        if self._budget.unit == "tokens":
            return float(prompt_tokens + completion_tokens)
        price = price_of(self._prices, model)
        assert price is not None
        return price.cost(prompt_tokens, completion_tokens)

    def _most_before(self, call: Mapping[str, Any], answer: Completion) -> float:
        """Return an upper bound of what a recorded call used, in the unit of the budget.

        If the endpoint was asked for several answers (``answer.calls``), the bound covers all of
        them. The result is 0 if the budget is in dollars and the price of the model is no longer
        known.
        """
        requested, length = str(call.get("requested")), call.get("max_tokens")
        if self._budget.unit == "dollars" and price_of(self._prices, requested) is None:
            return 0.0
        bound = length + answer.extra_tokens if isinstance(length, int) else UNBOUNDED_TOKENS
        prompt_tokens = _prompt_tokens(call.get("messages", ()))
        return answer.calls * self._most(requested, prompt_tokens, bound)

    def _taken(self, model: str, answer: Completion, most: float) -> float:
        """Return what an answer cost the budget; ``most`` if the endpoint does not report it."""
        if self._budget.unit == "calls":
            return float(answer.calls)
        if self._budget.unit == "dollars":
            cost = cost_of(self._prices, model, answer)
            return most if cost is None else cost
        if answer.prompt_tokens is None or answer.completion_tokens is None:
            return most
        return float(answer.prompt_tokens + answer.completion_tokens)


def _prompt_tokens(messages: Sequence[Message]) -> int:
    text_bytes = sum(len(message["content"].encode()) for message in messages)
    return text_bytes + TOKENS_A_MESSAGE * len(messages)
