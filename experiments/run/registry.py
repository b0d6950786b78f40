"""Finds the scenarios: every package below ``scenarios`` that has an ``EXPERIMENT``."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Iterator

from voxpolis.experiments.run.experiment import BoundExperiment, Experiment
from voxpolis.experiments.run.options import UsageError
from voxpolis.experiments.run.protocol_check import LackingError
from voxpolis.experiments.run.scenario import Scenario
from voxpolis.records.text import one_line

PACKAGE = "voxpolis.scenarios"
#: Of which scenarios people were told that they cannot be played, and why.
_told: set[str] = set()


def names() -> list[str]:
    """Return the scenarios' names."""
    folder = importlib.import_module(PACKAGE).__path__
    return sorted(module.name for module in pkgutil.iter_modules(folder) if module.ispkg)


def experiment(name: str) -> Experiment:
    """Return a scenario's experiment.

    Raises:
        UsageError: there is no such scenario, or it lacks a part of the protocol.
    """
    if name not in names():
        raise UsageError(f"there is no scenario {name!r}; there are: {', '.join(names())}")
    try:
        found: Experiment = importlib.import_module(f"{PACKAGE}.{name}").EXPERIMENT
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
    """Refuse what is no experiment.

    Raises:
        LackingError: it is something else, such as the scenario's class.
    """
    if isinstance(found, BoundExperiment):
        return
    if isinstance(found, type) and issubclass(found, Scenario):
        found.check()
        return
    what = f"the class {found.__name__}" if isinstance(found, type) else repr(found)
    raise LackingError(
        f"EXPERIMENT is {one_line(what)}, and must be the scenario bound to what plays it, such as "
        "ContractExperiment(DoubleVein, DoubleVein, __doc__)"
    )


def check_name(experiment: Experiment, package: str | None) -> None:
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


def check_started(experiment: Experiment) -> None:
    """Refuse what the package that this process was started with plays under another name.

    Raises:
        UsageError: see :func:`check_name`.
    """
    package = getattr(sys.modules.get("__main__"), "__package__", None)
    try:
        check_name(experiment, package)
    except TypeError as error:
        raise UsageError(f"the scenario {package} cannot be played: {error}") from error


def experiments() -> Iterator[Experiment]:
    """Yield all experiments that can be played; of the others people are told."""
    for name in names():
        try:
            yield experiment(name)
        except UsageError as error:
            if str(error) not in _told:
                print(f"warning: {error}", file=sys.stderr)
            _told.add(str(error))
