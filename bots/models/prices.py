"""Prices of calls: a table with its date."""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from voxpolis.bots.models.model import Completion
from voxpolis.records.files import read_text
from voxpolis.records.yaml_text import load_yaml

SHIPPED_PRICES = Path(__file__).parent / "prices.yaml"
# Environment variable for a custom table.
PRICES_VARIABLE = "VOXPOLIS_PRICES"
# Table entry that contains the date of its prices.
DATE = "as_of"
# Suffix of a model's name that identifies a snapshot.
_SNAPSHOT = re.compile(r"[-@](\d{3,4}|\d{4}-?\d{2}-?\d{2}|\d{2}-\d{4}|\d{2}-\d{2}|latest)")


class Price(BaseModel):
    """Dollars per million tokens; ``cached`` is for prompt tokens that the endpoint had cached."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    prompt: float = Field(ge=0)
    completion: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)

    def cost(self, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0) -> float:
        """Return the cost in dollars; ``prompt_tokens`` includes the cached tokens."""
        known = min(cached_tokens, prompt_tokens)
        of_known = self.prompt if self.cached is None else self.cached
        prompt = (prompt_tokens - known) * self.prompt + known * of_known
        return (prompt + completion_tokens * self.completion) / 1e6


class PriceTable(Mapping[str, Price]):
    """Prices by model, and their date (None if the table has none)."""

    def __init__(self, prices: Mapping[str, Price], as_of: datetime.date | None = None) -> None:
        self._prices = dict(prices)
        self.as_of = as_of

    def __getitem__(self, name: str) -> Price:
        return self._prices[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._prices)

    def __len__(self) -> int:
        return len(self._prices)


Prices = Mapping[str, Price]
_LATE = ConfigDict(defer_build=True)
_PRICES: TypeAdapter[dict[str, Price]] = TypeAdapter(dict[str, Price], config=_LATE)
_DATE: TypeAdapter[datetime.date | None] = TypeAdapter(datetime.date | None, config=_LATE)


def prices_path() -> Path:
    """Return the path of the default price table."""
    return Path(os.environ.get(PRICES_VARIABLE) or SHIPPED_PRICES)


def read_prices(path: Path | None = None) -> PriceTable:
    """Read a price table; None for the default one.

    Raises:
        OSError: it cannot be read.
        yaml.YAMLError: it is not YAML.
        pydantic.ValidationError: it is not a price table.
    """
    fields: Any = load_yaml(read_text(path or prices_path()))
    if not isinstance(fields, dict):
        return PriceTable(_PRICES.validate_python(fields))
    date = _DATE.validate_python(fields.get(DATE))
    return PriceTable(_PRICES.validate_python({k: v for k, v in fields.items() if k != DATE}), date)


def price_of(prices: Prices, model: str) -> Price | None:
    """Return a model's price, if known.

    A name matches the model and its dated snapshots (``gpt-4o-2024-11-20``). A name that ends with
    ``*`` matches all models that begin with it; of several matches, the longest counts. A router's
    prefix (``openai/gpt-4o``) is ignored if the whole name has no price, and a dot in a version
    equals a dash (``claude-sonnet-4.5``).
    """
    entry = _entry_of(tuple(prices), model)
    return None if entry is None else prices[entry]


@lru_cache(maxsize=1000)
def _entry_of(entries: tuple[str, ...], model: str) -> str | None:
    """Return the table entry of a model; cached, because thousands of calls need it."""
    for name in (model, model.rpartition("/")[2]):
        fitting = [one for one in entries if _fits(one, name)]
        if fitting:
            return max(fitting, key=len)
    return None


def _fits(entry: str, model: str) -> bool:
    entry, model = entry.replace(".", "-"), model.replace(".", "-")
    if entry.endswith("*"):
        return model.startswith(entry[:-1])
    rest = model.removeprefix(entry)
    return model.startswith(entry) and (not rest or _SNAPSHOT.fullmatch(rest) is not None)


def cost_of(prices: Prices, model: str, answer: Completion) -> float | None:
    """Return the cost of an answer in dollars, if known."""
    if answer.cost is not None:
        return answer.cost
    price = price_of(prices, model)
    if price is None or answer.prompt_tokens is None or answer.completion_tokens is None:
        return None
    return price.cost(answer.prompt_tokens, answer.completion_tokens, answer.cached_tokens or 0)
