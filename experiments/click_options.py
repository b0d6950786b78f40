"""Options of the command line, made of the fields of a model, and read back."""

from __future__ import annotations

import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import click
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from voxpolis.experiments.options import extra_of


class OneNameCommand(click.Command):
    """A command that refuses an option which is typed under two of its names, as two values."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what was typed; see :class:`click.Command`.

        Raises:
            click.UsageError: an option is there under two names.
        """
        typed = {word.partition("=")[0] for word in args}
        for parameter in self.params:
            names = [name for name in parameter.opts if name in typed]
            if len(names) > 1 and not parameter.multiple:
                raise click.UsageError(f"{' and '.join(names)} are one option: leave one out")
        return super().parse_args(ctx, args)


def click_options(model: type[BaseModel], *, marked_only: bool = False) -> list[click.Parameter]:
    """Return a model's fields as options of a command line.

    ``marked_only``: only those that are marked with :func:`option`.
    """
    return [
        _click_option(name, field)
        for name, field in model.model_fields.items()
        if "hidden" not in extra_of(field) and (not marked_only or "option" in extra_of(field))
    ]


def _click_option(name: str, field: FieldInfo) -> click.Option:
    extra = extra_of(field)
    names = extra.get("option") or [name.replace("_", "-")]
    kind, many = _click_type(field.annotation)
    scaled = extra.get("scale", 1.0) != 1.0
    text = (field.description or "").strip()
    default = None if field.is_required() else field.get_default(call_default_factory=True)
    if not scaled and default not in (None, "", [], False, {}):
        text += f" [default: {default}]"
    return click.Option(
        [*(f"--{one}" for one in names), name],
        type=float if scaled else kind,
        is_flag=kind is bool,
        multiple=many,
        default=None,
        help=text,
        metavar=extra.get("metavar"),
    )


def _click_type(annotation: Any) -> tuple[Any, bool]:
    """Return a field's type on the command line, and whether it may be given several times."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return _click_type(next(arg for arg in args if arg is not type(None)))
    if origin is Literal:
        return click.Choice([str(arg) for arg in args]), False
    if origin is list:
        return _click_type(args[0])[0], True
    if annotation is Path:
        return click.Path(path_type=Path), False
    return (annotation if annotation in (bool, int, float) else str), False


def given(model: type[BaseModel], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a model that were given on the command line."""
    fields = {}
    for name, field in model.model_fields.items():
        value = values.get(name)
        if value is None or value is False or value == ():
            continue
        scale = extra_of(field).get("scale", 1.0)
        fields[name] = value * scale if scale != 1.0 else value
        if isinstance(value, tuple):
            fields[name] = list(value)
    return fields
