"""Says at start what a scenario lacks; the type checker says it before."""

from __future__ import annotations


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


def _members(protocol: type) -> set[str]:
    """Return the names of a protocol's methods and attributes."""
    own = {name for name in vars(protocol) if not name.startswith("_")}
    return own | set(vars(protocol).get("__annotations__", {}))
