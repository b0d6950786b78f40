"""Which mind plays: from the options of the command line to a chat model."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import ValidationError

from bots.models import (
    Budget,
    BudgetedModel,
    ChatModel,
    LimitedModel,
    ModelError,
    ModelSettings,
    OpenAIModel,
    RecordedModel,
    ReplayModel,
    ScriptedModel,
    read_prices,
)
from bots.models.budget import SHIPPED_PRICES, Prices
from bots.models.scripted import Script
from bots.models.settings import DEFAULT_MODEL
from records import read_record
from scenarios.usage import UsageError

MindKind = Literal["scripted", "openai", "replay", "random"]


@dataclass(frozen=True)
class MindOptions:
    """What the command line says of the mind; see the options in ``scenarios/command.py``."""

    mind: str | None
    model: str | None
    models: Path | None
    base_url: str | None
    request_timeout: float
    concurrency: int
    budget: str | None
    prices: Path | None
    replay: Path | None


@dataclass(frozen=True)
class ChosenMind:
    """A model with all that records of its calls need.

    ``is_language_model``: the answers are a language model's, now or when they were recorded.
    """

    kind: MindKind
    model: ChatModel
    settings: ModelSettings
    prices: Prices
    is_language_model: bool
    replay: Path | None = None
    #: Whose answers they are: ``kind``, or what it was when they were recorded.
    played: str = ""

    def recorded(self, record: Callable[[dict[str, Any]], None]) -> RecordedModel:
        """The model with each call handed to ``record``."""
        return RecordedModel(self.model, record, self.settings, self.prices)

    def manifest(self) -> dict[str, Any]:
        """What ``run.yaml`` says of the mind."""
        return {
            "mind": self.kind,
            "model": self.settings.model,
            "models": self.settings.model_dump(mode="json"),
            "language_model": self.is_language_model,
            "replay": str(self.replay) if self.replay else None,
        }


def choose_mind(options: MindOptions, script: Callable[[], Script]) -> ChosenMind:
    """The mind that was asked for, or the one that fits the environment.

    Raises:
        UsageError: there is no such mind, or something that it needs is missing or wrong.
    """
    if options.replay is not None:
        return _replay(options, options.replay)
    has_key = bool(os.environ.get("OPENAI_API_KEY"))
    kind = options.mind or ("openai" if has_key else "scripted")
    if kind == "scripted":
        settings = ModelSettings(model="scripted")
        return ChosenMind(
            "scripted", ScriptedModel(script()), settings, {}, False, played="scripted"
        )
    if kind == "openai":
        return _openai(options)
    raise UsageError(f"there is no mind {kind!r}; there are: scripted, openai, or --replay RUN")


def _openai(options: MindOptions) -> ChosenMind:
    settings, prices = _settings(options), _prices(options)
    try:
        model: ChatModel = OpenAIModel(
            settings, base_url=options.base_url, timeout_s=options.request_timeout
        )
        model = LimitedModel(model, options.concurrency)
        if options.budget is not None:
            model = BudgetedModel(model, Budget.parse(options.budget), settings, prices)
    except (ModelError, ValueError) as error:
        raise UsageError(str(error)) from error
    return ChosenMind("openai", model, settings, prices, True, played="openai")


def _replay(options: MindOptions, folder: Path) -> ChosenMind:
    try:
        record = read_record(folder)
    except FileNotFoundError as error:
        raise UsageError(str(error)) from error
    if not record.calls:
        raise UsageError(f"{folder} holds no recorded calls to replay")
    settings = ModelSettings.model_validate(record.manifest.get("models") or {})
    was_model = bool(record.manifest.get("language_model"))
    model = ReplayModel(record.calls, settings)
    played = str(record.manifest.get("mind"))
    return ChosenMind("replay", model, settings, _prices(options), was_model, folder, played)


def _settings(options: MindOptions) -> ModelSettings:
    fields: Any = _read_yaml(options.models) if options.models else {}
    if not isinstance(fields, dict):
        raise UsageError(f"{options.models} must hold settings, such as: model: {DEFAULT_MODEL}")
    name = options.model or os.environ.get("OPENAI_MODEL")
    if name:
        fields = {**fields, "model": name}
    try:
        return ModelSettings.model_validate(fields)
    except ValidationError as error:
        raise UsageError(f"{options.models}: {_first(error)}") from error


def _prices(options: MindOptions) -> Prices:
    path = options.prices or SHIPPED_PRICES
    try:
        return read_prices(path)
    except ValidationError as error:
        raise UsageError(f"{path}: {_first(error)}") from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"cannot read {path}: {str(error).splitlines()[0]}") from error


def _read_yaml(path: Path) -> Any:
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"cannot read {path}: {str(error).splitlines()[0]}") from error


def _first(error: ValidationError) -> str:
    problem = error.errors()[0]
    place = ".".join(str(part) for part in problem["loc"])
    return f"{place}: {problem['msg']}"
