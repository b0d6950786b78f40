"""Commands made with typer. Their help looks like the help of the scenarios."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

# Typer's names of types, with the names that the help of the scenarios uses.
TYPES = {"str": "TEXT", "int": "INTEGER", "float": "FLOAT", "path": "PATH"}
# Matches the type of an option in typer's help, such as ``<float range>`` or ``<list[str]>``.
TYPE = re.compile(r" <(?:list\[)?(.*?)(?: range)?\]?>$")
# Maximum width of the column with the names of options.
NAMES_WIDTH = 27


class GroupedCommand(TyperCommand):
    """A command whose ``--help`` lists the options under the headings in ``rich_help_panel``."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        _write_options(self, ctx, formatter)


class GroupedCommands(TyperGroup):
    """A group of commands whose ``--help`` describes each command in a whole sentence."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        _write_options(self, ctx, formatter)
        names = self.list_commands(ctx)
        found = [(name, self.get_command(ctx, name)) for name in names]
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.get_short_help_str(1000)) for name, one in found if one])


def _write_options(command: Any, ctx: Any, formatter: Any) -> None:
    groups: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(ctx):
        row = parameter.get_help_record(ctx)
        if row is None:
            continue
        is_argument = parameter.param_type_name == "argument"
        title = parameter.rich_help_panel or ("Arguments" if is_argument else "Options")
        if parameter.name == "help":  # the last option is listed in the last group
            title = next((one for one in reversed(groups) if one != "Arguments"), title)
        names = TYPE.sub("" if is_argument else _type, row[0])
        groups.setdefault(title, []).append((names, row[1]))
    for title, rows in groups.items():
        with formatter.section(title):
            formatter.write_dl(rows, col_max=NAMES_WIDTH)


def _type(found: re.Match[str]) -> str:
    text = found[1]
    return f" [{text}]" if "|" in text else f" {TYPES.get(text, text.upper())}"


class CommandLine(typer.Typer):
    """One or more commands, with the settings that all of our commands share."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            cls=GroupedCommands,
            pretty_exceptions_enable=False,
            add_completion=False,
            rich_markup_mode=None,
            context_settings={"help_option_names": ["-h", "--help"]},
            **options,
        )

    def command(  # type: ignore[override]  # a shorter signature
        self, name: str | None = None, **options: Any
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        return super().command(name, cls=GroupedCommand, **options)
