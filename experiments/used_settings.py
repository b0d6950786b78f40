"""Settings that would not be used, as some conditions, worlds and others typed say: refused."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from pydantic import BaseModel

from voxpolis.experiments.options import extra_of, option_names
from voxpolis.experiments.usage import UsageError


class UnusedError(UsageError):
    """A setting was given that would change nothing.

    Attributes:
        field: which.
        options: what it is called on the command line, with ``--``.
    """

    def __init__(self, text: str, field: str, options: Collection[str]) -> None:
        super().__init__(text)
        self.field, self.options = field, options


def only_under(*conditions: str) -> dict[str, Any]:
    """Return what marks a setting that changes something under these conditions alone."""
    return {"conditions": list(conditions)}


def only_in(*worlds: str) -> dict[str, Any]:
    """Return what marks a setting that changes something in these worlds alone."""
    return {"worlds": list(worlds)}


def refuse_unused(
    kind: type[BaseModel], given: Collection[str], condition: str | None, world: str
) -> None:
    """Refuse settings that would change nothing.

    Args:
        kind: all settings.
        given: the names of those that were given; parts of one with dots (``ways.lines``).
        condition: the one that is played; None: all are, or one that there is not.
        world: where it is played.

    Raises:
        UnusedError: one is of other conditions, or of another world.
    """
    played = {"condition": condition, "world": world}
    for whole in sorted({name.partition(".")[0] for name in given}):
        field = kind.model_fields.get(whole)
        if field is None:
            continue
        for what, where in played.items():
            its = extra_of(field).get(f"{what}s")
            if its and where is not None and where not in its:
                name = option_names(kind, [whole]).get(whole, f"setting {whole}")
                text = f"{name} changes nothing under --{what} {where}, only under: "
                options = [f"--{one}" for one in extra_of(field).get("option", ())]
                raise UnusedError(text + ", ".join(its), whole, options)


def key_of(setting: str) -> str:
    """Return what a ``KEY=VALUE`` sets."""
    return setting.partition("=")[0].strip()


def without(words: Sequence[str], unused: UnusedError) -> list[str]:
    """Return the words of a command line without those that give a setting."""
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        name, is_joined, value = word.partition("=")
        if name in (*unused.options, "--set"):
            given = value if is_joined else next(rest, "")
            if name != "--set" or key_of(given).partition(".")[0] == unused.field:
                continue
            kept += [name, given]
        else:
            kept.append(word)
    return kept


def refuse_twice(kind: type[BaseModel], typed: Collection[str], settings: Sequence[str]) -> None:
    """Refuse a setting that was typed as an option of its own and with ``--set``.

    Raises:
        UsageError: one was.
    """
    for key in map(key_of, settings):
        if key in typed:
            name = option_names(kind, [key]).get(key, key)
            raise UsageError(f"{name} and --set {key} are one setting: leave one out")
