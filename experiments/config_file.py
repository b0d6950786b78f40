"""The file of ``--config``: options and settings in YAML."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_origin

from pydantic import BaseModel

from experiments.options import extra_of
from experiments.usage import UsageError
from records.yaml_text import read_yaml


def read_config(path: Path | None) -> dict[str, Any]:
    """Return the fields of a YAML file; none where no file is named.

    Raises:
        UsageError: it cannot be read, or holds something else.
    """
    if path is None:
        return {}
    try:
        fields = read_yaml(path)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if not isinstance(fields, dict) or not all(isinstance(key, str) for key in fields):
        raise UsageError(f"{path} must hold fields and values, such as: time_limit_s: 60")
    return fields


def from_config(
    model: type[BaseModel], fields: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields of a ``--config`` file as options of a model, and all others: settings.

    Options are called as on the command line (``json``, ``set``, ``show-prompts``) or as their
    fields. What may be given several times may stand there once, and ``set`` also takes a mapping.

    Raises:
        UsageError: an option stands there under two names, or ``set`` is no list.
    """
    names: dict[str, str] = {}
    for name, field in model.model_fields.items():
        own = extra_of(field).get("option") or [name.replace("_", "-")]
        names |= dict.fromkeys((name, *own), name)
    options: dict[str, Any] = {}
    settings: dict[str, Any] = {}
    for key, value in fields.items():
        called = names.get(key)
        if called == "settings" and isinstance(value, dict):
            settings |= value
        elif called is None:
            settings[key] = value
        elif called in options:
            raise UsageError(f"--config: {key} stands there twice, under two names")
        else:
            is_many = get_origin(model.model_fields[called].annotation) is list
            options[called] = [value] if is_many and isinstance(value, str) else value
    sets = options.get("settings", [])
    if not isinstance(sets, list) or not all(isinstance(one, str) for one in sets):
        raise UsageError("--config: set is a list such as [time_limit_s=60], or fields and values")
    return options, settings
