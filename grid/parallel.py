"""One game as a PettingZoo ParallelEnv: a thin adapter over :class:`grid.vector.VectorGame`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import ParallelEnv

from grid import rendering
from grid.game import Game, GameError, Rules, read_game, with_changes
from grid.vector import Observations, VectorGame

Agent = str


class GridEnv(ParallelEnv):  # type: ignore[misc]  # PettingZoo has no types
    """A game for one environment, agents by name (``explorer_0``, …).

    Spaces, of each agent: ``Discrete(A)`` of actions (:class:`grid.tables.Actions`), and a dict of
    ``position`` (2,), ``inventory`` (R,), ``group`` and ``weight`` (4,), ``step`` (1,), in games
    with negotiation ``bargain`` (4,), and ``window`` (S, S, C) or ``map`` (H, W, C), as
    :class:`grid.vector.VectorGame` has them.
    ``infos[agent]["action_mask"]`` (A,) is 1 where an action would have an effect. Observations and
    masks are copies.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "voxpolis_grid",
        "render_modes": ["human", "ansi", "rgb_array"],
        "is_parallelizable": True,
        "render_fps": 10,
    }

    def __init__(
        self,
        rules: Rules,
        game: Game,
        *,
        observations: Observations = "window",
        action_masks: bool = True,
        render_mode: str | None = None,
    ) -> None:
        """Make the environment; without ``action_masks`` infos are empty, and steps faster.

        Raises:
            GameError: there is no such render mode or kind of observation.
        """
        if render_mode not in (None, *self.metadata["render_modes"]):
            modes = ", ".join(self.metadata["render_modes"])
            raise GameError(f"there is no render mode {render_mode!r}; there are: {modes}")
        self.render_mode = render_mode
        self.vector = VectorGame(
            rules, game, 1, observations=observations, action_masks=action_masks
        )
        self.possible_agents = list(self.vector.names.agents)
        self.agents: list[Agent] = []
        self._has_masks = action_masks
        self._actions = np.zeros((1, len(self.possible_agents)), np.int32)
        self._kind = observations
        self._started = False
        self._spaces = self._make_spaces()
        self._action_spaces = {
            agent: spaces.Discrete(self.vector.tables.actions.total)
            for agent in self.possible_agents
        }

    def _make_spaces(self) -> dict[Agent, spaces.Dict]:
        t, observed = self.vector.tables, self.vector.observation
        most = np.iinfo(np.int32).max
        parts: dict[str, spaces.Space[Any]] = {
            "position": spaces.Box(0, max(t.height, t.width) - 1, (2,), np.int32),
            "inventory": spaces.Box(0, most, (t.resources,), np.int32),
            "group": spaces.Box(-1, max(t.groups - 1, 0), observed["group"].shape[2:], np.int32),
            "weight": spaces.Box(0, np.inf, observed["weight"].shape[2:], np.float64),
            "step": spaces.Box(0, t.length, (1,), np.int64),
        }
        if "bargain" in observed:
            parts["bargain"] = spaces.Box(-1, max(t.agents - 1, 9), (4,), np.int32)
        for name in ("window", "map"):
            if name in observed:
                parts[name] = spaces.Box(0, 255, observed[name].shape[2:], np.uint8)
        return {agent: spaces.Dict(parts) for agent in self.possible_agents}

    def observation_space(self, agent: Agent) -> spaces.Dict:
        """What an agent observes; the same object each time."""
        return self._spaces[agent]

    def action_space(self, agent: Agent) -> spaces.Discrete:
        """What an agent can do; the same object each time."""
        return self._action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[Agent, dict[str, npt.NDArray[Any]]], dict[Agent, dict[str, Any]]]:
        """Begin an episode; without a seed the next one of the last seed."""
        if seed is None and not self._started:
            seed = int(np.random.SeedSequence().generate_state(1)[0])
        self._started = True
        _, info = self.vector.reset(seed=seed)
        self.agents = list(self.possible_agents)
        return self._observations(), self._infos(info)

    def step(
        self, actions: dict[Agent, int]
    ) -> tuple[
        dict[Agent, dict[str, npt.NDArray[Any]]],
        dict[Agent, float],
        dict[Agent, bool],
        dict[Agent, bool],
        dict[Agent, dict[str, Any]],
    ]:
        """One step of all agents; an episode ends for all at once, by its length (a truncation)."""
        agents = self.agents
        if not agents:
            return {}, {}, {}, {}, {}
        self._actions[0] = [actions[agent] for agent in agents]
        _, rewards, _, truncated, info = self.vector.step(self._actions)
        is_over = bool(truncated[0])
        found = (
            self._observations(),
            dict(zip(agents, rewards[0].tolist(), strict=True)),
            dict.fromkeys(agents, False),
            dict.fromkeys(agents, is_over),
            self._infos(info),
        )
        if is_over:
            self.agents = []
        return found

    def _observations(self) -> dict[Agent, dict[str, npt.NDArray[Any]]]:
        """Copies of what the kernel observed; one copy of each array for all agents."""
        seen = self.vector.observation
        places, inventories = seen["position"][0].copy(), seen["inventory"][0].copy()
        groups, weights = seen["group"][0].copy(), seen["weight"][0].copy()
        step = seen["step"].copy()
        own = zip(self.agents, places, inventories, groups, weights, strict=True)
        found = {
            agent: {
                "position": place,
                "inventory": inventory,
                "group": group,
                "weight": weight,
                "step": step,
            }
            for agent, place, inventory, group, weight in own
        }
        for name in ("bargain", self._kind):
            if name in seen:
                for observed, view in zip(found.values(), seen[name][0].copy(), strict=True):
                    observed[name] = view
        return found

    def _infos(self, info: dict[str, Any]) -> dict[Agent, dict[str, Any]]:
        if not self._has_masks:
            return {agent: {} for agent in self.agents}
        masks = info["action_mask"][0].copy()
        return {a: {"action_mask": mask} for a, mask in zip(self.agents, masks, strict=True)}

    def render(self) -> Any:
        """The map: pixels, text, or (``human``) text on the terminal."""
        if self.render_mode == "rgb_array":
            return rendering.pixels(self.vector)
        if self.render_mode is None:
            return None
        text = rendering.text(self.vector)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def state(self) -> npt.NDArray[Any]:
        """The whole map (H, W, C)."""
        return rendering.world(self.vector)

    def close(self) -> None:
        """Nothing to close."""


def make(
    name: str,
    *,
    observations: Observations = "window",
    action_masks: bool = True,
    render_mode: str | None = None,
    rules_file: Path | None = None,
    **changes: object,
) -> GridEnv:
    """A game by its name as a ParallelEnv, with some of the game's fields changed.

    Raises:
        GameError: there is no such game, or a field is wrong.
    """
    rules, game = read_game(name, rules_file)
    if changes:
        game = with_changes(rules, game, changes)
    return GridEnv(
        rules,
        game,
        observations=observations,
        action_masks=action_masks,
        render_mode=render_mode,
    )
