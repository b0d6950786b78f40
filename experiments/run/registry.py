"""Finds scenarios: those in ``scenarios/``, scenarios of installed packages, and files of the user.

An installed package provides scenarios through entry points of the group ``voxpolis.scenarios``,
such as ``my_game = "my_package.games:MyGame"``. A file is only loaded if the user typed its path.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from voxpolis import front
from voxpolis.experiments.run.options import UsageError
from voxpolis.experiments.run.scenario import LackingError, Scenario
from voxpolis.records.text import one_line

GROUP = "voxpolis.scenarios"
# Broken scenarios that have been reported, with the reasons.
_told: set[str] = set()


def names() -> list[str]:
    """Return the names of all shipped and installed scenarios."""
    return sorted({*front.scenario_files(), *_installed()})


def _installed() -> dict[str, EntryPoint]:
    return {one.name: one for one in entry_points(group=GROUP)}


def scenario(name: str, *, is_typed: bool = False) -> type[Scenario]:
    """Return a scenario by name.

    Args:
        name: name of the scenario. If it was typed, this may also be the path of a file. A name
            from a record is never treated as a path, because reading a record must not run code of
            the record's author.
        is_typed: whether the user typed the name on the command line.

    Raises:
        UsageError: there is no such scenario, or it is incomplete.
    """
    is_ours = (is_typed and name.endswith(".py")) or name in front.scenario_files()
    if not is_ours and name not in _installed():
        raise UsageError(f"there is no scenario {name!r}; choose from {', '.join(names())}")
    try:
        found = _load(name)
        found.check()
    except UsageError:
        raise
    except (Exception, SystemExit) as error:  # importing its code may raise anything
        what = front.describe_error(error) if not isinstance(error, TypeError) else str(error)
        why = one_line(what).removeprefix(f"the scenario {name}: ")
        raise UsageError(f"the scenario {name} cannot be played: {why}") from error
    return found


def _load(name: str) -> type[Scenario]:
    if name.endswith(".py"):
        path = Path(name).resolve()
        if path in front.scenario_files().values():
            return _load(path.parent.name if path.stem == "__init__" else path.stem)
        found = _only(_module_of(path))
        if found.name in front.scenario_files():
            raise LackingError(
                f"{path.name}: there is already a scenario {found.name!r}; choose another name"
            )
        found.called = ("run", str(path))
        front.call_by_path(found.name, name)
        return found
    if name in front.scenario_files():
        module = importlib.import_module(f"voxpolis.scenarios.{name}")
        found = _only(module)
    else:
        loaded = _installed()[name].load()
        found = loaded if isinstance(loaded, type) else _only(loaded)
        if not issubclass(found, Scenario):
            raise LackingError(f"the scenario {name}: {found.__name__} is not a Scenario")
    found.story = found.story or sys.modules[found.__module__].__doc__ or ""
    if found.name != name:  # otherwise records would name another scenario
        raise LackingError(f"the scenario {name}: its class has the name {found.name!r}")
    found.called = (name,)
    return found


def _module_of(path: Path) -> ModuleType:
    """Import a file as a module. Its folder is added to the search path for modules."""
    if not path.exists():
        raise UsageError(f"there is no file {path}")
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(f"_file_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    beside = importlib.util.find_spec(path.stem) if path.stem.isidentifier() else None
    if beside is not None and beside.origin == str(path):
        sys.modules[path.stem] = module  # lets --agent and neighbouring files import it
    spec.loader.exec_module(module)
    return module


def _only(module: ModuleType) -> type[Scenario]:
    """Return the scenario that a module defines. If the scenario has no story (a description for
    users), the docstring of the module becomes its story.

    Raises:
        LackingError: the module defines no scenario, or more than one.
    """
    kinds = [one for one in vars(module).values() if isinstance(one, type)]
    own = [one for one in kinds if f"{one.__module__}.".startswith(f"{module.__name__}.")]
    found = [one for one in own if issubclass(one, Scenario) and "name" in vars(one)]
    if len(found) != 1:
        has = "no Scenario with a name" if not found else "several Scenarios with names"
        name = module.__name__.removeprefix("_file_")
        raise LackingError(f"{name} has {has}; one is needed")
    own_doc = vars(found[0]).get("__doc__")
    found[0].story = found[0].story or module.__doc__ or own_doc or f"The game {found[0].name}."
    return found[0]


def scenarios() -> Iterator[type[Scenario]]:
    """Yield all scenarios that can be played. Print a warning for each scenario that cannot be
    played.
    """
    for name in names():
        try:
            yield scenario(name)
        except UsageError as error:
            if str(error) not in _told:
                print(f"warning: {error}", file=sys.stderr)
            _told.add(str(error))
