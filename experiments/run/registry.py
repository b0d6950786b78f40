"""Finds the scenarios: every package below ``scenarios`` that has an ``EXPERIMENT``."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Iterator

from voxpolis.experiments.run.options import UsageError
from voxpolis.experiments.run.scenario import LackingError, Scenario
from voxpolis.records.text import one_line

PACKAGE = "voxpolis.scenarios"
#: Of which scenarios people were told that they cannot be played, and why.
_told: set[str] = set()


def names() -> list[str]:
    """Return the scenarios' names."""
    folder = importlib.import_module(PACKAGE).__path__
    return sorted(module.name for module in pkgutil.iter_modules(folder) if module.ispkg)


def experiment(name: str) -> type[Scenario]:
    """Return a scenario's experiment.

    Raises:
        UsageError: there is no such scenario, or it lacks a part of the protocol.
    """
    if name not in names():
        raise UsageError(f"there is no scenario {name!r}; there are: {', '.join(names())}")
    try:
        found: type[Scenario] = importlib.import_module(f"{PACKAGE}.{name}").EXPERIMENT
        check_experiment(found)
        check_name(found, f"{PACKAGE}.{name}")
        if importlib.util.find_spec(f"{PACKAGE}.{name}.__main__") is None:
            raise LackingError("it has no __main__.py, which plays it")
    except (Exception, SystemExit) as error:  # whatever its code does when it is imported
        what = f"{type(error).__name__}: {error}" if not isinstance(error, TypeError) else error
        why = one_line(str(what)).removeprefix(f"the scenario {name}: ")
        raise UsageError(f"the scenario {name} cannot be played: {why}") from error
    return found


def check_experiment(found: object) -> None:
    """Refuse what is no scenario.

    Raises:
        LackingError: it is something else, or a part is missing.
    """
    if not (isinstance(found, type) and issubclass(found, Scenario)):
        raise LackingError(f"EXPERIMENT is {one_line(repr(found))}, and must be a Scenario's class")
    found.check()


def check_name(experiment: type[Scenario], package: str | None) -> None:
    """Refuse a scenario that has another name than its package, as a copy of one may.

    Args:
        experiment: the scenario's.
        package: of the module that it was found in; what is no scenario's is not looked at.

    Raises:
        TypeError: its records would say that they are of another scenario.
    """
    _, room, name = f".{package or ''}".partition(".scenarios.")
    if room and name.partition(".")[0] != experiment.name:
        raise TypeError(
            f"it is called {experiment.name!r} in its class; a package has its own name"
        )


def check_started(experiment: type[Scenario]) -> None:
    """Refuse what the package that this process was started with plays under another name.

    Raises:
        UsageError: see :func:`check_name`.
    """
    package = getattr(sys.modules.get("__main__"), "__package__", None)
    try:
        check_name(experiment, package)
    except TypeError as error:
        raise UsageError(f"the scenario {package} cannot be played: {error}") from error


def experiments() -> Iterator[type[Scenario]]:
    """Yield all experiments that can be played; of the others people are told."""
    for name in names():
        try:
            yield experiment(name)
        except UsageError as error:
            if str(error) not in _told:
                print(f"warning: {error}", file=sys.stderr)
            _told.add(str(error))
