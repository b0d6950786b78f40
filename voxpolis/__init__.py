"""Societies of embodied agents in Minecraft, and the same experiments headless on a compiled grid.

Everything is imported as ``voxpolis.<room>``, where a room is a package such as ``bots`` or
``grid``. In a checkout the rooms are folders next to this folder. The links in this folder let type
checkers and editors find the rooms.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import os
import sys
from typing import Any, cast

_BESIDE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# The folder that contains the rooms: the checkout, or this package in site-packages.
ROOT = _BESIDE if os.path.exists(os.path.join(_BESIDE, "pyproject.toml")) else __path__[0]
__path__.insert(0, ROOT)


def as_room(name: str) -> None:
    """Make ``python -m scenarios.…`` in a checkout run ``voxpolis.scenarios.…``.

    Each room calls this function with its ``__name__`` when it is imported. If ``__name__`` is the
    full name, nothing happens. Otherwise execution continues in the Python for which voxpolis was
    installed. The short names of the room and of its modules become aliases of the full names, so
    that no module is loaded twice.
    """
    if name.startswith("voxpolis."):
        return
    from voxpolis import environment  # noqa: PLC0415 - what runs under its full name needs it not

    environment.ensure(name)
    sys.meta_path.insert(0, _ShortNames(name))
    sys.modules[name] = importlib.import_module("voxpolis." + name)


class _ShortNames:
    """Finds ``room.module`` as ``voxpolis.room.module``."""

    def __init__(self, room: str) -> None:
        self._below = room + "."

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not name.startswith(self._below):
            return None
        parts = name.split(".")
        if parts[0] == "scenarios" and parts[2:] == ["__main__"]:
            return importlib.machinery.ModuleSpec(name, cast(Any, _Play(parts[1])))
        found = importlib.util.find_spec("voxpolis." + name)
        if found is None:
            return None
        loader: Any = _ShortName(found)
        if parts[0] == "scenarios" and not found.submodule_search_locations and len(parts) == 2:
            loader = loader if parts[1] == "__main__" else _Play(parts[1], found)
        spec = importlib.machinery.ModuleSpec(name, loader, origin=found.origin)
        spec.submodule_search_locations = found.submodule_search_locations
        spec.has_location = found.has_location
        return spec


class _ShortName:
    """A loader that loads a module under its full name, and returns it under its short name."""

    def __init__(self, full: Any) -> None:
        self._full = full

    def create_module(self, spec: object) -> object:
        return importlib.import_module(self._full.name)

    def exec_module(self, module: Any) -> None:
        module.__spec__ = self._full

    def get_code(self, name: str) -> object:
        """Return the code of the module, which ``python -m`` runs as ``__main__``."""
        return self._full.loader.get_code(self._full.name)


class _Play(_ShortName):
    """Makes ``python -m scenarios.NAME`` play the scenario.

    Without this class the command would do nothing, because the module only defines the scenario.
    """

    def __init__(self, scenario: str, full: Any = None) -> None:
        super().__init__(full)
        self._scenario = scenario

    def get_code(self, name: str) -> object:
        text = f"from voxpolis.front import play\nplay({self._scenario!r})"
        return compile(text, f"<python -m scenarios.{self._scenario}>", "exec")
