"""Creates a game of any family (AdaSociety's games or a commons) from its name."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import gymnasium

from voxpolis.grid.adasociety.game import read_game, read_rules, shipped_files, with_changes
from voxpolis.grid.adasociety.vector import VectorGame
from voxpolis.grid.agents import AgentVector
from voxpolis.grid.commons.game import commons_names, read_commons
from voxpolis.grid.commons.vector import VectorCommons
from voxpolis.grid.core.batch import Autoreset, BatchOptions, Observations
from voxpolis.grid.core.data import GameError, is_whole
from voxpolis.grid.core.workers import Execution
from voxpolis.grid.parallel import GridEnv


def make_vec(
    name: str,
    num_envs: int,
    *,
    num_threads: int = 1,
    observations: Observations = "window",
    action_masks: bool = False,
    copy: bool = True,
    autoreset: Autoreset = "next_step",
    execution: Execution = "compiled",
    rules_file: Path | None = None,
    max_cycles: int | None = None,
    **changes: Any,
) -> VectorGame | VectorCommons:
    """Return a batch of a game. ``changes`` are changed fields of the game.

    The options are explained in :class:`grid.core.batch.BatchOptions`. ``max_cycles`` is
    PettingZoo's name for the maximum number of steps of an episode.

    Raises:
        GameError: there is no such game, or a field is invalid.
    """
    options: BatchOptions = {
        "observations": observations,
        "action_masks": action_masks,
        "num_threads": num_threads,
        "copy": copy,
        "autoreset": autoreset,
        "execution": execution,
    }
    if max_cycles is not None and not is_whole(max_cycles, 1, 2**31):
        raise GameError(
            f"max_cycles must be a whole number from 1 to 2**31 - 1, not {max_cycles!r}"
        )
    if rules_file is None and name in commons_names():
        if max_cycles is not None:
            ending = read_commons(name, changes).ending
            least = min(ending.least, max_cycles)
            changes["ending"] = {**ending.model_dump(), "least": least, "most": max_cycles}
        return VectorCommons(read_commons(name, changes), num_envs, **options)
    if max_cycles is not None:
        changes["length"] = max_cycles
    rules, game = read_game(name, rules_file, () if rules_file else commons_names())
    if changes:
        game = with_changes(rules, game, changes)
    return VectorGame(rules, game, num_envs, **options)


def make_agents(
    name: str,
    num_envs: int,
    *,
    num_threads: int = 1,
    observations: Observations = "flat",
    action_masks: bool = True,
    autoreset: Autoreset = "next_step",
    rules_file: Path | None = None,
    **changes: Any,
) -> AgentVector:
    """Return a batch of a game that presents each agent as a separate environment. ``changes``
    are changed fields of the game.

    Raises:
        GameError: there is no such game, or a field is invalid.
    """
    options: dict[str, Any] = {"num_threads": num_threads, "action_masks": action_masks}
    options |= {"observations": observations, "autoreset": autoreset, "rules_file": rules_file}
    return AgentVector(make_vec(name, num_envs, **options, **changes))


def make(
    name: str,
    *,
    observations: Observations = "window",
    action_masks: bool = True,
    render_mode: str | None = None,
    execution: Execution = "auto",
    rules_file: Path | None = None,
    **changes: Any,
) -> GridEnv:
    """Return a game as a PettingZoo ParallelEnv. ``changes`` are changed fields of the game.

    Without ``action_masks``, infos are empty and steps are faster.

    Raises:
        GameError: there is no such game, render mode or kind of observation, or a field is invalid.
    """
    vector = make_vec(
        name,
        1,
        observations=observations,
        action_masks=action_masks,
        copy=False,
        execution=execution,
        rules_file=rules_file,
        **changes,
    )
    return GridEnv(vector, render_mode=render_mode)


def _register() -> None:
    """Register the games with Gymnasium, as ``voxpolis/NAME-v0``, for ``gymnasium.make_vec``."""
    games = [name for file in shipped_files() for name in read_rules(file).games]
    for name in [*games, *commons_names()]:
        gymnasium.register(f"voxpolis/{name}-v0", vector_entry_point=partial(make_vec, name))


_register()
