"""Says at start what a scenario lacks; the type checker says it before."""

from __future__ import annotations

from pydantic import BaseModel
from pydantic.fields import FieldInfo


class LackingError(TypeError):
    """A scenario lacks a part of its protocol; the message is one line."""

    #: Where it ends a command as the scenario is imported: ``environment.hush_interrupts``.
    is_one_line = True


def check_protocol(kind: type, protocol: type) -> None:
    """Check that a class has all that a protocol names.

    Raises:
        LackingError: something is missing.
    """
    names = {*_members(protocol)}
    fields = getattr(kind, "model_fields", {})
    missing = sorted(name for name in names if name not in fields and not hasattr(kind, name))
    if missing:
        raise LackingError(
            f"the scenario {getattr(kind, 'name', kind.__name__)} lacks {', '.join(missing)}: see "
            f"{protocol.__module__}.{protocol.__name__}"
        )


def check_settings(name: str, settings: type[BaseModel], shared: type[BaseModel]) -> None:
    """Check that no setting of a scenario has the name of an option that all scenarios have.

    Raises:
        LackingError: one has, and would take what is meant for the option.
    """
    taken = {*shared.model_fields, *filter(None, map(_option, shared.model_fields.values()))}
    for field, info in settings.model_fields.items():
        for called in (field, _option(info)):
            if called in taken:
                raise LackingError(
                    f"the scenario {name}: all scenarios have an option {called}, so its setting "
                    f"{field} needs another name"
                )


def _option(field: FieldInfo) -> str | None:
    """Return what the option of a field is called."""
    extra = field.json_schema_extra
    option = extra.get("option") if isinstance(extra, dict) else None
    return str(option[0]) if isinstance(option, list | tuple) and option else None


def _members(protocol: type) -> set[str]:
    """Return the names of a protocol's methods and attributes."""
    own = {name for name in vars(protocol) if not name.startswith("_")}
    return own | set(vars(protocol).get("__annotations__", {}))
