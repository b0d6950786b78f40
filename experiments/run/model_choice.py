"""Chooses the models of a run from the options of a command."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import ValidationError

from voxpolis.bots.models import (
    Budget,
    BudgetedModel,
    CallBoard,
    CallSettings,
    ChatModel,
    ChatRequest,
    Completion,
    ModelError,
    ModelSettings,
    PatientModel,
    RecordedModel,
    ReplayModel,
    ResumedModel,
    ScriptedModel,
    paid_calls,
    read_prices,
)
from voxpolis.bots.models.prices import Prices, PriceTable, prices_path
from voxpolis.bots.models.scripted import Script
from voxpolis.bots.models.secrets import NO_KEY
from voxpolis.bots.models.settings import DEFAULT_MODEL, is_local
from voxpolis.bots.models.typed import describe_errors
from voxpolis.experiments.run.options import RunOptions, UsageError
from voxpolis.records import Record, events
from voxpolis.records.reader import PERSON
from voxpolis.records.text import suggestion
from voxpolis.records.yaml_text import read_yaml

# Model settings that must not change when a run is resumed.
FIXED_SETTINGS = ("model", "temperature", "max_tokens", "reasoning_effort", "extra_body")

# Answer format in records: JSON of the question's answer type. Older records contain prose and
# cannot be replayed.
ANSWERS = "typed"

# Default limit of a run at an endpoint that may cost money.
DEFAULT_BUDGET = "1 dollar"

MindKind = Literal["scripted", "openai", "random", "trained"]


@dataclass(frozen=True)
class ModelChoice:
    """The models of a run, and what is needed to record their calls.

    Attributes:
        kind: the kind of mind that answers or, in a replay, answered.
        settings: models and parameters by role.
        prices: prices in dollars, by model.
        is_language_model: whether answers come from a language model, now or when they were
            recorded.
        live: the language model, or None.
        recording: answers of an earlier run, which are used first.
        replay: folder of the earlier run; None without one.
        board: shows open calls and the total usage; None without an endpoint.
        is_counted: whether scripted minds replace a language model, to count the calls to it.
        endpoints: the addresses that are used.
        budget: how much may be spent; None if no endpoint costs money.
    """

    kind: MindKind
    settings: ModelSettings
    prices: Prices = field(default_factory=dict)
    is_language_model: bool = False
    live: ChatModel | None = None
    recording: ReplayModel | None = None
    replay: Path | None = None
    board: CallBoard | None = None
    is_counted: bool = False
    endpoints: tuple[str, ...] = ()
    budget: Budget | None = None

    @property
    def is_paid(self) -> bool:
        """True if an endpoint that is used may cost money."""
        return any(not is_local(address) for address in self.endpoints)

    @property
    def who(self) -> str:
        """The names of the models and the endpoints that are used, as text."""
        return f"{', '.join(self.settings.models)} at {', '.join(self.endpoints)}"

    def model(
        self,
        script: Script,
        record: Callable[[dict[str, Any]], None] | None,
        *,
        announces: bool = False,
    ) -> ChatModel:
        """Return the model for one case. Each call is passed to ``record``.

        If ``announces`` is True, calls to an endpoint are also passed to ``record`` when they
        start. Calls that are already in the record of a resumed run are not passed again.
        """
        live: ChatModel = self.live or ScriptedModel(script)
        prices: Prices | None = self.prices if self.live is not None else None
        if self.replay is not None and self.recording is not None:
            live, prices = self.recording, None  # recorded calls have already been paid for
        if record is not None:
            is_paid = announces and self.live is not None
            live = RecordedModel(
                live,
                record,
                self.settings,
                prices,
                announces=is_paid,
                is_live=self.is_language_model,
            )
        if self.recording is None or self.replay is not None:
            return live
        return ResumedModel(self.recording, live)

    def manifest(self) -> dict[str, Any]:
        """Return what ``run.yaml`` contains about the models."""
        return {
            "mind": self.kind,
            "model": self.settings.model,
            "models": self.settings.model_dump(mode="json", exclude_defaults=True),
            "prices_as_of": self._prices_date(),
            "language_model": self.is_language_model,
            "answers": ANSWERS,
            "replay": str(self.replay.resolve()) if self.replay else None,
        }

    def _prices_date(self) -> str | None:
        date = self.prices.as_of if isinstance(self.prices, PriceTable) else None
        return str(date) if date and self.live is not None else None


class RoutedModel:
    """Sends the questions of some agents to their own models."""

    def __init__(self, default: ChatModel, by_agent: Mapping[str, ChatModel]) -> None:
        self._default = default
        self._by_agent = by_agent

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a conversation; see :class:`~bots.models.model.ChatModel`."""
        model = self._by_agent.get(request.agent or "", self._default)
        return await model.complete(request)


def choose_model(options: RunOptions, before: Record | None = None) -> ModelChoice:
    """Return the models that the user asked for or that the environment suggests.

    ``before`` is the record of the run that is replayed or resumed.

    Raises:
        UsageError: a requirement is missing or invalid.
    """
    if before is not None and before.calls and before.manifest.get("answers") != ANSWERS:
        raise UsageError(
            f"{before.folder} holds answers in prose, of an earlier version: its figures and pages "
            "can be viewed, but it cannot be replayed or resumed"
        )
    if before is not None and options.replay is not None:
        return _replay(options, before)
    named = [name for name in ("model", "models", "base_url") if getattr(options, name) is not None]
    is_asked_for = bool(named) or any(
        os.environ.get(name) for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL")
    )
    kind = options.mind or ("openai" if is_asked_for else "scripted")
    if before is not None and options.mind is None and not named:
        kind = "openai" if before.manifest.get("language_model") else "scripted"
    if before is not None:
        _check_kind(kind, before)
    if kind == "scripted":
        named += [name for name in ("budget", "prices") if getattr(options, name) is not None]
        if named:
            option = named[0].replace("_", "-")
            raise UsageError(f"scripted minds call no model: leave out --{option}, or name a model")
        return ModelChoice("scripted", ModelSettings(default=CallSettings(model="scripted")))
    return _openai(options, before)


def _check_kind(kind: MindKind, before: Record) -> None:
    """Check that a resumed run uses the same kind of minds as before.

    Raises:
        UsageError: the kind differs.
    """
    was_model = bool(before.manifest.get("language_model"))
    if was_model != (kind == "openai"):
        began = "a language model" if was_model else "scripted minds"
        raise UsageError(
            f"--resume: the run began with {began}, and can only be resumed with the same"
        )


def _check_unchanged(settings: ModelSettings, before: Record) -> None:
    """Check that the settings of the models have not changed since a resumed run began. Recorded
    answers are found by question, so questions must stay the same.

    Endpoints, keys and headers may change.

    Raises:
        UsageError: another setting has changed.
    """
    then = dict(ModelSettings.model_validate(before.manifest.get("models") or {}).parts())
    now = dict(settings.parts())
    for place, name in itertools.product(dict.fromkeys((*then, *now)), FIXED_SETTINGS):
        old, new = (getattr(parts.get(place, CallSettings()), name) for parts in (then, now))
        if old != new:
            raise UsageError(
                f"--resume: {place}.{name} was {old} when the run began and is {new} now; "
                "restore it, because a run can only be resumed with its own models"
            )


def check_agents(settings: ModelSettings, agents: Collection[str]) -> None:
    """Check that every agent for which there are model settings exists.

    Raises:
        UsageError: an agent does not exist.
    """
    for name in settings.agents:
        if name not in agents:
            raise UsageError(f"--models: there is no agent {name!r}; {suggestion(name, agents)}")


def priced(options: RunOptions, _before: Record | None = None) -> ModelChoice:
    """Return the models that the user asked for and their prices, without connecting to an
    endpoint.

    Raises:
        UsageError: a file with models or prices is invalid.
    """
    return ModelChoice("scripted", _settings(options, None), _prices(options))


def _openai(options: RunOptions, before: Record | None) -> ModelChoice:
    from voxpolis.bots.models.openai_model import OpenAIModel  # noqa: PLC0415  (loads slowly)

    settings, prices = _settings(options, before), _prices(options)
    if before is not None:
        _check_unchanged(settings, before)
    base_url = options.base_url or settings.default.base_url or os.environ.get("OPENAI_BASE_URL")
    try:
        CallSettings(base_url=base_url)
    except ValidationError as error:
        raise UsageError(f"--base-url {base_url}: {describe_errors(error)}") from error
    has_key = bool(os.environ.get("OPENAI_API_KEY"))
    budget: Budget | None = None
    board, made = CallBoard(prices), before.calls if before is not None else ()
    for requested, answer in paid_calls(made):
        board.record(requested, answer)
    board.cut_off = sum(bool(call.get("cut_off")) for call in made)
    try:
        asked = OpenAIModel(
            settings,
            base_url=base_url,
            api_key=None if has_key or not base_url else NO_KEY,
            timeout_s=options.request_timeout,
            at_once=options.concurrency,
            board=board,
            seed=options.seed,
        )
        model: ChatModel = asked
        limit = options.budget
        if limit is None and not all(map(is_local, asked.addresses)):
            limit = DEFAULT_BUDGET
        if limit is not None:
            budget = Budget.parse(limit)
            model = BudgetedModel(model, budget, settings, prices, before=made)
    except (ModelError, ValueError) as error:
        raise UsageError(str(error)) from error
    recording = ReplayModel(_reusable_calls(before), settings) if before is not None else None
    return ModelChoice(
        "openai",
        settings,
        prices,
        is_language_model=True,
        live=PatientModel(model, settings, made),
        recording=recording,
        board=board,
        endpoints=asked.addresses,
        budget=budget,
    )


def _reusable_calls(before: Record) -> Iterator[Mapping[str, Any]]:
    """Yield the recorded calls that a resumed run uses again.

    Calls that were answered are used again, and so are errors that did not end the run (societies
    continue after an error). The call whose error ended the run is made again.
    """
    lasts = _survived(before)
    return filter(lasts, before.calls)


def _replayed_calls(before: Record) -> list[Mapping[str, Any]]:
    """Return the calls for a replay. Answers to the same question keep their order.

    A call whose error ended the run comes last, because the question was asked again and answered
    when the run was resumed.
    """
    lasts = _survived(before)
    return sorted(before.calls, key=lambda call: not lasts(call))


def _survived(before: Record) -> Callable[[Mapping[str, Any]], bool]:
    """Return a function that says whether the run ``before`` continued after a recorded call."""
    lived_with = {
        (event.agent, event.role, event.message) for event in before.of(events.MindFailed)
    }

    def lasts(call: Mapping[str, Any]) -> bool:
        failed = (call.get("agent"), call.get("role"), f"error: {call.get('error')}")
        return "error" not in call or failed in lived_with

    return lasts


def _replay(options: RunOptions, before: Record) -> ModelChoice:
    """Return a replay's models: recorded answers, or scripted minds if none were recorded."""
    settings = ModelSettings.model_validate(before.manifest.get("models") or {})
    was_model = bool(before.manifest.get("language_model"))
    if not before.calls and was_model:
        raise UsageError(f"{before.folder} has no recorded calls to replay")
    answered = [call for call in _replayed_calls(before) if call.get("requested") != PERSON]
    recording = ReplayModel(answered, settings) if answered else None
    kind: MindKind = "openai" if was_model else "scripted"
    prices = _prices(options)
    return ModelChoice(kind, settings, prices, was_model, None, recording, before.folder)


def _settings(options: RunOptions, before: Record | None) -> ModelSettings:
    fields: Any = _read_yaml(options.models) if options.models else {}
    if before is not None and not options.models:
        fields = before.manifest.get("models") or {}
        _refuse_endpoints(fields, before.folder)
    if not isinstance(fields, dict):
        raise UsageError(
            f"{options.models} must be a mapping of settings, such as: "
            f"default: {{model: {DEFAULT_MODEL}}}"
        )
    default = fields.get("default")
    named = default.get("model") if isinstance(default, dict) else default
    own = fields.get("model") if named is None else named
    name = options.model or own or os.environ.get("OPENAI_MODEL")
    alone = {**fields, "default": {} if default is None else default}
    alone.pop("model", None)
    try:
        ModelSettings.model_validate(alone)  # also validate settings that another name overrides
        found = ModelSettings.model_validate({**fields, "model": name or DEFAULT_MODEL})
    except ValidationError as error:
        raise UsageError(f"{options.models}: {describe_errors(error)}") from error
    address = options.base_url or os.environ.get("OPENAI_BASE_URL")
    if address and not name:
        raise UsageError(f"name a model of {address} with --model")
    return found


def _refuse_endpoints(fields: Any, folder: Path) -> None:
    """Refuse models in a record that name an endpoint, a key variable or headers.

    Raises:
        UsageError: there is such a model. It would send prompts and secrets to an address that the
            author of the record chose.
    """
    try:
        parts = ModelSettings.model_validate(fields).parts()
    except ValidationError as error:
        raise UsageError(f"{folder}: run.yaml: models: {describe_errors(error)}") from error
    for place, own in parts:
        named = [name for name in ("base_url", "key", "headers") if getattr(own, name)]
        if named:
            raise UsageError(
                f"--resume: the record {folder} sets {place}.{named[0]}, which must come from "
                "a file that you name: type --models FILE"
            )


def _prices(options: RunOptions) -> Prices:
    path = options.prices or prices_path()
    try:
        return read_prices(path)
    except ValidationError as error:
        raise UsageError(f"{path}: {describe_errors(error)}") from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"cannot read {path}: {_reason(error)}") from error


def _read_yaml(path: Path) -> Any:
    try:
        return read_yaml(path)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or str(error).splitlines()[0])
