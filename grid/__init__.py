"""The headless world: games on a grid, as data, compiled, for one environment or many at once.

``make(name)`` gives a PettingZoo ParallelEnv, ``make_vec(name, num_envs)`` a batch as arrays.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import environment

environment.ensure(__name__)

if TYPE_CHECKING:
    from grid.parallel import GridEnv, make
    from grid.vector import VectorGame, make_vec

__all__ = ["GridEnv", "VectorGame", "make", "make_vec"]
_HOME = {"GridEnv": "parallel", "make": "parallel", "VectorGame": "vector", "make_vec": "vector"}


def __getattr__(name: str) -> Any:
    """Import what is asked for: the rules can then be read without loading the compiler."""
    if name not in _HOME:
        raise AttributeError(f"module 'grid' has no attribute {name!r}")
    return getattr(importlib.import_module(f"grid.{_HOME[name]}"), name)
