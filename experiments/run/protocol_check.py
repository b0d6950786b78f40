"""A scenario at the border: what its class lacks, and what its hooks raise or return.

The type checker says it before; here it is said of the scenario, in a line, at start where it can
be known by then. Whoever writes a scenario forgets a ``return``, returns a string for a number, or
raises in the midst of a run. All that experiments call of a scenario is what its protocol names, so
these calls alone are looked at: the message names the scenario and the hook, and no file of ours.
"""

from __future__ import annotations

import asyncio
import inspect
import math
import reprlib
import sys
import traceback
import types
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from numbers import Integral, Real
from typing import (
    Annotated,
    Any,
    Literal,
    Self,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from voxpolis.experiments.run.options import UsageError
from voxpolis.front import error_in_words

Kind = TypeVar("Kind")

#: Letters of a value in a message.
MOST_SHOWN = 60


class LackingError(UsageError, TypeError):
    """A scenario lacks a part of its protocol; the message is one line."""

    #: Where it ends a command as the scenario is imported: ``voxpolis.tell_in_lines``.
    is_one_line = True


def check_protocol(kind: type, protocol: type) -> None:
    """Check that a class has all that a protocol names.

    Raises:
        LackingError: something is missing, or it is no class.
    """
    if not isinstance(kind, type):
        raise LackingError(f"an experiment takes the scenario's class, not {kind!r:.60}")
    names = {*_members(protocol)}
    fields = getattr(kind, "model_fields", {})
    missing = sorted(name for name in names if name not in fields and not hasattr(kind, name))
    if missing:
        raise LackingError(
            f"the scenario {getattr(kind, 'name', kind.__name__)} lacks {', '.join(missing)}: see "
            f"{protocol.__module__}.{protocol.__name__}"
        )


def check_settings(name: str, settings: type[BaseModel], options: type[BaseModel]) -> None:
    """Check that no setting of a scenario has the name of an option that its command has.

    Raises:
        LackingError: one has, and would take what is meant for the option.
    """
    taken = {"help", *options.model_fields}
    taken |= {called for field in options.model_fields.values() for called in _options(field)}
    typed: set[str] = set()
    for field, info in settings.model_fields.items():
        of_its_own = _options(info)
        for called in sorted(({field} | of_its_own) & taken | of_its_own & typed):
            raise LackingError(
                f"the scenario {name}: there is an option {called} already, so its setting "
                f"{field} needs another name"
            )
        typed |= of_its_own


def _options(field: FieldInfo) -> set[str]:
    """Return what the option of a field is called on the command line; empty: it has none."""
    extra = field.json_schema_extra
    names = extra.get("option") if isinstance(extra, dict) else None
    return set(map(str, names)) if isinstance(names, list | tuple) else set()


def _members(protocol: type) -> set[str]:
    """Return the names of a protocol's methods and attributes."""
    own = {name for name in vars(protocol) if not name.startswith("_")}
    return own | set(vars(protocol).get("__annotations__", {}))


# --- Hooks ---------------------------------------------------------------------------------------


class HookError(LackingError):
    """A scenario's hook raised, or returned what the protocol does not have; one line."""


def guarded(kind: type[Kind], protocol: type) -> type[Kind]:
    """Return a class like a scenario's whose hooks are checked whenever they are called.

    Args:
        kind: the scenario's class.
        protocol: what names the hooks, with what they return.
    """
    fields = {*getattr(kind, "model_fields", ()), *getattr(kind, "__dataclass_fields__", ())}
    hooks = {
        name: hook
        for name, hook in vars(protocol).items()
        if not name.startswith("_") and name not in fields and not hasattr(BaseModel, name)
    }
    own: dict[str, Any] = {"__module__": kind.__module__, "__qualname__": kind.__qualname__}
    own["__doc__"] = kind.__doc__
    checked: Any = None

    def get(whose: Any, name: str) -> Any:
        return getattr(super(checked, whose), name)

    for name, hook in hooks.items():
        if isinstance(hook, property):
            own[name] = _property(name, protocol, get)
        elif isinstance(hook, classmethod | staticmethod):
            own[name] = classmethod(_method(name, protocol, get))
        elif inspect.isfunction(hook):
            own[name] = _method(name, protocol, get)
    make: Any = type(kind)
    checked = make(kind.__name__, (kind,), own)
    return cast(type[Kind], checked)


def with_defaults(kind: type[Kind]) -> Kind:
    """Return a scenario as it is where nobody sets anything.

    Raises:
        LackingError: a setting has no default, or one that does not fit it.
    """
    try:
        return kind()
    except ValidationError as error:
        lacking = ", ".join(str(one["loc"][0]) for one in error.errors() if one["loc"])
        name = getattr(kind, "name", kind.__name__)
        why = f"each setting needs a default that fits it: {lacking}"
        raise LackingError(f"the scenario {name}: {why}") from error


def _property(name: str, protocol: type, get: Callable[[Any, str], Any]) -> property:
    def read(self: Any) -> Any:
        return _checked(name, protocol, self, lambda: get(self, name))

    return property(read)


def _method(name: str, protocol: type, get: Callable[[Any, str], Any]) -> Callable[..., Any]:
    def call(self: Any, *args: Any, **named: Any) -> Any:
        return _checked(f"{name}()", protocol, self, lambda: get(self, name)(*args, **named))

    return call


def _checked(hook: str, protocol: type, scenario: Any, call: Callable[[], Any]) -> Any:
    """Return what a hook returns.

    Raises:
        HookError: it raised, or returned something else than the protocol says.
    """
    whose = f"{hook} of the scenario {scenario.name}"
    try:
        value = call()
    except (UsageError, LackingError):
        raise
    except (Exception, SystemExit, asyncio.CancelledError) as error:
        # Ours mean what they say; those of scenarios and of libraries are the hook's fault.
        module = type(error).__module__
        if module.startswith("voxpolis.") and not module.startswith("voxpolis.scenarios."):
            raise
        is_called_wrongly = _innermost(error) == __file__  # it takes something else, say
        what = f"{type(error).__name__}: {error}" if is_called_wrongly else error_in_words(error)
        raise HookError(f"{whose} failed: {what}") from error
    return fitting(value, protocol, hook.removesuffix("()"), whose)


def fitting(value: Any, protocol: type, name: str, whose: str) -> Any:
    """Return what a part of a protocol returned.

    Raises:
        HookError: it is something else than the protocol says.
    """
    hint = _returned(protocol, name)
    if why := misfit(value, hint):
        if inspect.iscoroutine(value):
            value.close()
        where = f"{protocol.__module__}.{protocol.__name__}"
        raise HookError(f"{whose} must return {shown(hint)}, not {why}: see {where}")
    return value


def _innermost(error: BaseException) -> str:
    return traceback.extract_tb(error.__traceback__)[-1].filename


class Something:
    """Stands for a type that cannot be told here: whatever is not None fits it."""


@cache
def _returned(protocol: type, name: str) -> Any:
    """Return the type that a hook returns by its protocol."""
    hook = vars(protocol)[name]
    function = hook.fget if isinstance(hook, property) else getattr(hook, "__func__", hook)
    known = vars(sys.modules[protocol.__module__])
    try:
        hint = get_type_hints(function, known).get("return", Any)
    except NameError:  # what only the type checker imports
        hint = Any if "None" in str(function.__annotations__["return"]) else Something
    return Something if hint is Self else hint


# --- Whether a value is of an annotated type -----------------------------------------------------


def misfit(value: Any, hint: Any) -> str:
    """Return in words what is there instead of a value of a type; empty where it fits."""
    if inspect.iscoroutine(value):
        return "a coroutine: it must be no async function"
    why = _misfit(value, hint)
    return "a method: it is a property" if why and inspect.ismethod(value) else why


def shown(hint: Any) -> str:
    """Return a type in words."""
    if hint is type(None) or hint is None:
        return "None"
    if get_origin(hint) in (Union, types.UnionType):
        return " or ".join(map(shown, get_args(hint)))
    if get_origin(hint) is None:
        return str(getattr(hint, "__name__", hint))
    outer = str(getattr(get_origin(hint), "__name__", hint))
    inner = ", ".join("…" if one is Ellipsis else shown(one) for one in get_args(hint))
    return outer if get_origin(hint) is Callable else f"{outer}[{inner}]"


def _misfit(value: Any, hint: Any) -> str:
    origin = get_origin(hint)
    if hint in (Any, object, Something) or isinstance(hint, TypeVar | str):
        return "None" if value is None and hint is Something else ""
    if origin is Annotated:
        return _misfit(value, get_args(hint)[0])
    if origin in (Union, types.UnionType):
        found = [_misfit(value, one) for one in get_args(hint) if one is not type(None)]
        is_none = value is None and type(None) in get_args(hint)
        return "" if is_none or not all(found) else found[0]
    if origin is Literal:
        return "" if value in get_args(hint) else _words(value)
    if origin is Callable or hint is Callable:
        return "" if callable(value) else _words(value)
    return _unfit_class(value, hint) if origin is None else _unfit_container(value, origin, hint)


def _unfit_class(value: Any, hint: Any) -> str:
    """Return the same for a type that holds no others."""
    if getattr(hint, "_is_protocol", False) and hint.__module__ not in (
        "typing",
        "collections.abc",
    ):
        return _unfit_protocol(value, hint)
    is_whole = isinstance(value, Integral)
    is_number = is_whole or isinstance(value, Real)
    fits = {
        bool: isinstance(value, bool) or _is_numpys_bool(value),
        int: is_whole,
        float: is_number and math.isfinite(value),
        None: value is None,
    }
    if hint in fits:
        return "" if fits[hint] else _words(value)
    return "" if not isinstance(hint, type) or isinstance(value, hint) else _words(value)


def _is_numpys_bool(value: object) -> bool:
    """Return whether a value is numpy's truth value, without loading numpy."""
    kind = type(value)
    return kind.__module__ == "numpy" and kind.__name__.startswith("bool")


def _unfit_protocol(value: Any, protocol: type) -> str:
    for name in sorted(_members(protocol)):
        if not hasattr(value, name):
            return f"{_words(value)}, which has no {name}"
        if _is_async(vars(protocol).get(name)) and not _is_async(getattr(value, name)):
            return f"{_words(value)}, whose {name} is no async function"
    return ""


def _is_async(function: object) -> bool:
    """Whether a function can be waited for, whatever it is decorated with."""
    if not callable(function):
        return False
    called = type(function).__call__  # of an object that can be called
    return any(map(inspect.iscoroutinefunction, (inspect.unwrap(function), called)))


def _unfit_container(value: Any, origin: Any, hint: Any) -> str:
    args = get_args(hint)
    if not (isinstance(origin, type) and args):
        return ""
    # a list where a tuple is promised is as good
    is_one = isinstance(value, (tuple, list) if origin is tuple else origin)
    if isinstance(value, str | bytes) or not is_one:
        return _words(value)
    if isinstance(value, Mapping):
        keys = _first(value, [args[0]] * len(value), "a key that is")
        return keys or _first(value.values(), [args[1]] * len(value), "a value that is")
    if not isinstance(value, Collection):
        return ""
    hints = args if origin is tuple and args[-1:] != (Ellipsis,) else [args[0]] * len(value)
    if len(hints) != len(value):
        return f"{len(value)} values"
    return _first(value, hints, "one that holds")


def _first(values: Iterable[Any], hints: Iterable[Any], what: str) -> str:
    """Return in words the first value that does not fit its type; empty where all do."""
    found = (_misfit(value, hint) for value, hint in zip(values, hints, strict=True))
    return next((f"{what} {why}" for why in found if why), "")


def _words(value: Any) -> str:
    if value is None or isinstance(value, bool | int | float):
        return str(value)
    text = reprlib.repr(value)  # whatever its own repr does
    text = text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
    return f"{text} ({type(value).__name__})"
