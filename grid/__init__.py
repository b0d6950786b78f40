"""Games on a grid without Minecraft. The games are defined by data, compiled, and can run in large
batches.

``make(name)`` returns a PettingZoo ParallelEnv. ``make_vec(name, num_envs)`` returns a batch of
environments whose observations and actions are arrays. ``make_agents(name, num_envs)`` presents
each agent of a batch as a separate environment.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from voxpolis import as_room

as_room(__name__)

if TYPE_CHECKING:
    from voxpolis.grid.adasociety.vector import VectorGame
    from voxpolis.grid.agents import AgentVector
    from voxpolis.grid.commons.vector import VectorCommons
    from voxpolis.grid.core.data import GameError
    from voxpolis.grid.parallel import GridEnv
    from voxpolis.grid.registry import make, make_agents, make_vec

__all__ = [
    "AgentVector",
    "GameError",
    "GridEnv",
    "VectorCommons",
    "VectorGame",
    "make",
    "make_agents",
    "make_vec",
]
_HOME = {
    "AgentVector": "agents",
    "GameError": "core.data",
    "GridEnv": "parallel",
    "VectorCommons": "commons.vector",
    "VectorGame": "adasociety.vector",
    "make": "registry",
    "make_agents": "registry",
    "make_vec": "registry",
}


def __getattr__(name: str) -> Any:
    """Import a name of the package when it is first used, so that reading rules needs no numba.

    Raises:
        AttributeError: the package has no such name.
    """
    if name not in _HOME:
        raise AttributeError(f"module 'grid' has no attribute {name!r}")
    return getattr(importlib.import_module(f"voxpolis.grid.{_HOME[name]}"), name)
