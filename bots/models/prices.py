"""The prices of model calls: a table with the date of the prices."""

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
# The environment variable with the path of a user's own table.
PRICES_VARIABLE = "VOXPOLIS_PRICES"
# The entry of a table that contains the date of the prices.
DATE = "as_of"
# The part of a model's name that identifies a snapshot of the model.
_SNAPSHOT = re.compile(r"[-@](\d{3,4}|\d{4}-?\d{2}-?\d{2}|\d{2}-\d{4}|\d{2}-\d{2}|latest)")


class Price(BaseModel):
    """The price of a model, in dollars per million tokens.

    ``cached`` is the price of prompt tokens that the endpoint had cached.
    """

    model_config = ConfigDict(extra="forbid", defer_build=True)

    prompt: float = Field(ge=0)
    completion: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)

    def cost(self, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0) -> float:
        """Return the cost in dollars. ``prompt_tokens`` includes the cached tokens."""
        known = min(cached_tokens, prompt_tokens)
        of_known = self.prompt if self.cached is None else self.cached
        prompt = (prompt_tokens - known) * self.prompt + known * of_known
        return (prompt + completion_tokens * self.completion) / 1e6


class PriceTable(Mapping[str, Price]):
    """The prices of models, and their date (None if the table contains no date)."""

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
    """Return the path of the price table that is used by default."""
    return Path(os.environ.get(PRICES_VARIABLE) or SHIPPED_PRICES)


def read_prices(path: Path | None = None) -> PriceTable:
    """Read a price table. If ``path`` is None, read the default table.

    Raises:
        OSError: the file cannot be read.
        yaml.YAMLError: the file is not YAML.
        pydantic.ValidationError: the file is not a price table.
    """
    fields: Any = load_yaml(read_text(path or prices_path()))
    if not isinstance(fields, dict):
        return PriceTable(_PRICES.validate_python(fields))
    date = _DATE.validate_python(fields.get(DATE))
    return PriceTable(_PRICES.validate_python({k: v for k, v in fields.items() if k != DATE}), date)


def price_of(prices: Prices, model: str) -> Price | None:
    """Return the price of a model; None if it is unknown.

    A name in the table also applies to the dated snapshots of the model (``gpt-4o-2024-11-20``). A
    name that ends with ``*`` applies to all models whose names begin with the part before ``*``. If
    several names apply, the longest one counts. If there is no price for the whole name, the prefix
    of a router (``openai/gpt-4o``) is ignored. A dot in a version is the same as a dash
    (``claude-sonnet-4.5``).
    """
    entry = _entry_of(tuple(prices), model)
    return None if entry is None else prices[entry]


@lru_cache(maxsize=1000)
def _entry_of(entries: tuple[str, ...], model: str) -> str | None:
    """Return the table's entry for a model.

    The result is cached because thousands of calls need it.
    """
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
    """Return the cost of an answer in dollars; None if it is unknown."""
    if answer.cost is not None:
        return answer.cost
    price = price_of(prices, model)
    if price is None or answer.prompt_tokens is None or answer.completion_tokens is None:
        return None
    return price.cost(answer.prompt_tokens, answer.completion_tokens, answer.cached_tokens or 0)
