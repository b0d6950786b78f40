"""A batch of AdaSociety's games, with arrays for actions and observations. A batch is the fastest
way to play.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Unpack

import numpy as np
import numpy.typing as npt

from voxpolis.grid.adasociety.cells import unpack_state
from voxpolis.grid.adasociety.game import MAX_UNITS, Game, Rules
from voxpolis.grid.adasociety.inventory import set_inventory
from voxpolis.grid.adasociety.observe import map_many
from voxpolis.grid.adasociety.state import (
    PARTNER,
    PLACE_STALE,
    REQUESTED,
    WINDOW_STALE,
    ActionCounts,
    State,
    cells,
    make_scratch,
    make_state,
)
from voxpolis.grid.adasociety.step import BEGIN, MASK, STEP, step_many
from voxpolis.grid.adasociety.tables import SPLITS, Ground, Names, Tables, make_tables
from voxpolis.grid.core.arrays import Bytes, Ints, Masks, SmallInts
from voxpolis.grid.core.batch import Batch, BatchOptions, Bounds, Observation
from voxpolis.grid.core.data import is_whole
from voxpolis.grid.core.drawing import BLOCK, CELL, PALETTE, agent_letter, blank_picture, joined
from voxpolis.grid.core.jit import interpret

if TYPE_CHECKING:
    import networkx as nx

# --- Pictures of a map, for people ----------------------------------------------------------------

CHEST, AGENT, STATION = (150, 111, 51), (20, 20, 20), (203, 196, 178)


def pixels(tables: Tables, world: Bytes) -> Bytes:
    """Draw the map (H, W, C) as an image (12 H, 12 W, 3) uint8.

    Stations are darker ground, piles are bars, and agents are dots in the colour of their job.
    """
    channel = tables.channel
    picture = blank_picture(*world.shape[:2])
    picture[world[..., channel.events].any(-1)] = STATION
    picture[world[..., channel.ground] == Ground.BLOCK] = BLOCK
    picture[world[..., channel.ground] == Ground.CHEST] = CHEST
    for resource in range(tables.resources):
        x, y = np.nonzero(world[..., channel.first_resource + resource])
        row = 1 + resource * (CELL - 2) // tables.resources
        picture[x, y, row : row + 2, 1:-1] = PALETTE[resource % len(PALETTE)]
    x, y = np.nonzero(world[..., channel.job])
    picture[x, y, 3:-3, 3:-3] = AGENT
    picture[x, y, 4:-4, 4:-4] = np.array(PALETTE)[
        (world[x, y, channel.job] - 1) % len(PALETTE), None, None
    ]
    return joined(picture)


def text(tables: Tables, names: Names, state: State, environment: int) -> str:
    """Draw the map with letters: ``#`` is a block, ``a`` to ``z`` are agents, capital letters are
    piles, ``+`` is a station, and ``.`` is a free cell.
    """
    world = cells(tables, state, environment)
    lines = [f"step {int(state.step[environment])} of {tables.length}"]
    for row, agents in zip(world, state.occupant[environment], strict=True):
        marks = zip(row, agents.tolist(), strict=True)
        lines.append("".join(_letter(tables, cell, agent) for cell, agent in marks))
    for i, agent in enumerate(names.agents):
        held = zip(state.inventory[environment, i], names.resources, strict=True)
        carried = ", ".join(f"{count} {name}" for count, name in held if count)
        score = state.score[environment, i]
        lines.append(f"{agent_letter(i)} {agent}: {carried or 'nothing'}, {score:g}")
    legend = ", ".join(f"{_capital(r)} {name}" for r, name in enumerate(names.resources))
    return "\n".join([*lines, f"# block, = chest, + station, {legend}"])


def _letter(tables: Tables, cell: Bytes, agent: int) -> str:
    channel = tables.channel
    if agent:
        return agent_letter(agent - 1)
    if cell[channel.ground] != Ground.FREE:
        return "#" if cell[channel.ground] == Ground.BLOCK else "="
    lying = np.flatnonzero(cell[channel.resources])
    if len(lying):
        return _capital(int(lying[0]))
    return "+" if cell[channel.events].any() else "."


def _capital(resource: int) -> str:
    return chr(ord("A") + resource % 26)


class VectorGame(Batch[State]):
    """``num_envs`` games (B) with N agents each; see :class:`grid.core.batch.Batch`.

    Actions are numbers, see :class:`grid.adasociety.tables.Actions`. An episode only ends at its
    full length, which counts as a truncation.

    The observation is a dict:

    - ``position`` (B, N, 2), ``inventory`` (B, N, R) and ``group`` (B, N, 4), all int32;
    - ``weight`` (B, N, 4) float64 and ``step`` (B,) int64;
    - ``bargain`` (B, N, 4) int32, in games with negotiation. The four numbers are: the agent's
      partner, or -1; 1 if it is the agent's turn, or 0; the share that the proposer of the current
      offer would keep, in tenths, or 0; and the agent that this agent has just requested, or -1;
    - ``social``, see :meth:`social`;
    - with ``observations="window"``: ``window`` (B, N, S, S, C) uint8, each agent's surroundings;
    - with ``observations="map"``: ``map`` (B, N, H, W, C) uint8, a map that contains the agent's
      window and the windows that others share with it, and zeros elsewhere.

    The C channels are explained by :class:`grid.adasociety.tables.Channels`. With
    ``observations="flat"`` the observation is one array (B, N, F) float32, see
    :class:`grid.core.flat.FlatRows`.

    Attributes:
        game: the game that is played.
        names: names of resources, events, jobs, agents and actions, in the order of their numbers.
        tables: the game as arrays.
        state: the state, which callers may inspect.
    """

    unpack_state = staticmethod(unpack_state)

    def __init__(
        self,
        rules: Rules,
        game: Game,
        num_envs: int,
        *,
        action_log: bool = False,
        **options: Unpack[BatchOptions],
    ) -> None:
        """Create the batch. Call ``reset`` before the first step.

        Args:
            rules: the resources, events and jobs of the game.
            game: the game to play.
            num_envs: number of environments.
            action_log: whether to count agents' picks and dumps, see :attr:`counts`.
            options: see :class:`grid.core.batch.BatchOptions`.

        Raises:
            GameError: an argument is invalid.
        """
        self.game = game
        self.longest = game.length
        self.tables, self.names = make_tables(rules, game)
        super().__init__(
            self.names.agents,
            self.tables.actions.total,
            num_envs,
            tables=self.tables,
            make_state=partial(
                make_state,
                self.tables,
                action_log=action_log,
                windows=options.get("observations") != "none",
            ),
            scratch=make_scratch(self.tables),
            **options,
        )
        self._no_actions = np.zeros(self.rewards.shape, np.int32)
        t, b = self.tables, num_envs
        mapped = b if self.observations == "map" else 0
        self._maps = np.zeros((mapped, t.agents, t.height, t.width * t.channels), np.uint8)
        self._drawn_at = np.zeros((mapped, t.agents, 2), np.int32)
        self._drawn_of = np.zeros((mapped, *self.state.shares.shape[1:]), np.uint8)

    def _arrays(self) -> Observation:
        state, t = self.state, self.tables
        observation: Observation = {
            name: getattr(state, name)
            for name in ("position", "inventory", "group", "weight", "step")
        }
        if t.negotiation_steps:
            observation["bargain"] = state.bargain
        observation["social"] = self.social()
        side = 2 * t.pad + 1
        if self.observations in ("window", "flat"):
            shape = (self.num_envs, t.agents, side, side, t.channels)
            observation["window"] = state.window.reshape(shape)
        elif self.observations == "map":
            shape = (self.num_envs, t.agents, t.height, t.width, t.channels)
            observation["map"] = self._maps.reshape(shape)
        return observation

    def social(self) -> Observation:
        """Return the public social state. The arrays belong to the batch and are not copied.

        - ``job`` (B, N) int32: each agent's job.
        - ``group`` (B, N, 4) int32: each agent's groups, or -1. ``weight`` (B, N, 4) float64: the
          weights by which these groups pay the agent.
        - ``union`` (B, G) int32: each group's union, or -1, and ``union_weight`` (B, G) float64.
          These two entries only exist if the structure has unions.
        - ``shares`` (B, N, N) uint8: 1 if the first agent shares its observation with the second.
          This entry only exists if agents can share.
        - ``message`` (B, N) int32: the agent to which each agent sent a message in the last step,
          or -1. This entry only exists if agents can send messages.
        - ``request`` (B, N) int32: the agent that each agent asked to bargain in the last step, and
          ``partner`` (B, N) int32: the agent's partner in a bargain. The two numbers are -1 if
          there is no such agent. These entries only exist in games with negotiation.
        """
        state, t = self.state, self.tables
        job = np.broadcast_to(t.job.astype(np.int32), (self.num_envs, t.agents))
        social: Observation = {"job": job, "group": state.group, "weight": state.weight}
        if (t.change_unions >= 0).any():
            social |= {"union": state.union, "union_weight": state.union_weight}
        if t.can_share:
            social["shares"] = state.shares
        if t.actions.message < t.actions.share:
            social["message"] = state.sent
        if t.negotiation_steps:
            social["request"] = state.bargain[..., REQUESTED]
            social["partner"] = state.bargain[..., PARTNER]
        return social

    def _bounds(self) -> Bounds:
        t, most = self.tables, np.iinfo(np.int32).max
        agent, group = (-1, t.agents - 1), (-1, max(t.groups - 1, 0))
        own = {"group": group, "weight": (0, np.inf)}
        social = {
            **own,
            "job": (0, len(self.names.jobs) - 1),
            "union": group,
            "union_weight": (0, np.inf),
            "shares": (0, 1),
            **dict.fromkeys(("message", "request", "partner"), agent),
        }
        return {
            **own,
            "position": (0, max(t.height, t.width) - 1),
            "inventory": (0, most),
            "step": (0, t.length),
            "bargain": (-1, max(t.agents - 1, SPLITS)),
            "social": social,
            "window": (0, 255),
            "map": (0, 255),
        }

    def _play(self, actions: SmallInts, begin_only: bool) -> None:
        arrays = (actions, self.rewards, self._truncated, self._masks)
        self._run(step_many, *arrays, BEGIN if begin_only else STEP)
        if len(self._maps):
            drawn = (self._maps, self._drawn_at, self._drawn_of)
            self._run(map_many, *drawn)

    def action_masks(self) -> Masks:
        """Return a mask (B, N, A) int8 that is 1 for actions that are legal now. Other actions have
        no effect.

        A legal move may still be blocked by another agent, and a request only has an effect if both
        agents make it. Staying is always legal, except in the turn of an agent in a contract stage
        or in a bargain, because such an agent must choose.
        """
        shape = (self.num_envs, self.tables.agents, self.tables.actions.total)
        masks = np.zeros(shape, np.uint8)
        arrays = (self._no_actions, self.rewards, self._truncated, masks)
        self._run(step_many, *arrays, MASK)
        return masks.view(np.int8)

    # --- For scenarios: action counts and custom rules -------------------------------------------

    @property
    def counts(self) -> ActionCounts:
        """The number of units of each resource that each agent has picked up or laid down in this
        episode.

        The counts are arrays (B, N, R) int32, see :class:`~grid.adasociety.state.ActionCounts`.

        Without ``action_log`` the arrays have size 0. They are the kernel's own arrays, so copy
        them if you want to keep the numbers.
        """
        return ActionCounts(*self.state.counts)

    def grounds(self, environment: int = 0) -> Bytes:
        """Return the ground of each cell as numbers of :class:`~grid.adasociety.tables.Ground`: (H,
        W) uint8.

        Raises:
            ValueError: there is no such environment.
        """
        return self._cells(environment)[..., self.tables.channel.ground].copy()

    def units(self, resource: str, environment: int = 0) -> Ints:
        """Return how many units of a resource lie on each cell: (H, W) int64.

        Raises:
            ValueError: there is no such resource or environment.
        """
        channel = self.tables.channel.first_resource + self._resource(resource)
        return self._cells(environment)[..., channel].astype(np.int64)

    def set_units(
        self, resource: str, cell: tuple[int, int], units: int, environment: int = 0
    ) -> None:
        """Set how many units of a resource lie on a cell. Agents see them from the next step on.

        Raises:
            ValueError: there is no such resource, cell (row, column) or environment, or a cell
                cannot contain this many units.
        """
        t, (row, column) = self.tables, cell
        channel = t.channel.first_resource + self._resource(resource)
        self._check(environment, "environment", self.num_envs)
        if not (is_whole(row, 0, t.height) and is_whole(column, 0, t.width)):
            raise ValueError(f"there is no cell {cell} on a map of {t.height} x {t.width}")
        if not is_whole(units, 0, MAX_UNITS + 1):
            raise ValueError(f"a cell holds 0 to {MAX_UNITS} units, not {units!r}")
        shape = (t.height + 2 * t.pad, t.width + 2 * t.pad, t.channels)
        plane = self.state.plane[environment].reshape(shape)
        rows = slice((row + t.pad) % t.height, None, t.height)  # the cell and its copies
        columns = slice((column + t.pad) % t.width, None, t.width)
        plane[rows, columns, channel] = units
        self.state.stale[environment] |= PLACE_STALE | WINDOW_STALE

    def set_inventory(self, agent: int, resource: str, units: int, environment: int = 0) -> None:
        """Set how many units of a resource an agent holds.

        If the agent's tools reveal things, the agent sees these from the next step on. The
        difference in value counts in the score as if it had been earned, and is shared with the
        agent's current groups. The rewards of the last step do not change.

        Raises:
            ValueError: there is no such agent, resource or environment, or the agent cannot hold
                this many units.
        """
        number = self._resource(resource)
        self._check(environment, "environment", self.num_envs)
        self._check(agent, "agent", self.tables.agents)
        most = int(self.tables.capacity[agent, number])
        if not is_whole(units, 0, most + 1):
            raise ValueError(f"{self.agents[agent]} holds 0 to {most} {resource}, not {units!r}")
        scratch = make_scratch(self.tables)
        set_rule = interpret(set_inventory)  # called too rarely to be worth compiling
        set_rule(self._packed, self.state, scratch, environment, agent, number, units)

    def _resource(self, name: str) -> int:
        if name not in self.names.resources:
            known = ", ".join(self.names.resources)
            raise ValueError(f"there is no resource {name!r} in the game; there are: {known}")
        return self.names.resources.index(name)

    def _cells(self, environment: int) -> Bytes:
        self._check(environment, "environment", self.num_envs)
        return cells(self.tables, self.state, environment)

    @staticmethod
    def _check(number: int, what: str, count: int) -> None:
        if not is_whole(number, 0, count):
            raise ValueError(f"there is no {what} {number!r}; there are: 0 to {count - 1}")

    # --- For people ------------------------------------------------------------------------------

    def world(self) -> npt.NDArray[np.uint8]:
        """Return the whole map of the first environment: (H, W, C) uint8."""
        return np.ascontiguousarray(self._cells(0))

    def pixels(self) -> npt.NDArray[np.uint8]:
        """Draw the first environment as an image: (12 H, 12 W, 3) uint8."""
        return pixels(self.tables, self._cells(0))

    def text(self) -> str:
        return text(self.tables, self.names, self.state, 0)


# --- The social state as a graph, for people and for metrics --------------------------------------


def social_graph(game: VectorGame, environment: int = 0) -> nx.DiGraph:
    """Return the social graph. Its nodes are agents (``level`` 0), groups (1) and unions of groups
    (2).

    An edge between two agents means that the first shares its observation with the second. An edge
    from a group to a member, or from a union to a group, has a ``weight`` by which earnings are
    paid. Groups without members are left out.
    """
    import networkx as nx  # noqa: PLC0415  (loads slowly)

    state, names = game.state, game.names
    graph = nx.DiGraph()
    for number, name in enumerate(names.agents):
        graph.add_node(name, level=0, score=float(state.score[environment, number]))
    for i, j in np.argwhere(state.shares[environment]):
        graph.add_edge(names.agents[i], names.agents[j], what="observation")
    for i, k in np.argwhere(state.group[environment] >= 0):
        group = f"group {state.group[environment, i, k]}"
        graph.add_node(group, level=1)
        weight = float(state.weight[environment, i, k])
        graph.add_edge(group, names.agents[i], weight=weight, what="reward")
    for g in np.flatnonzero(state.union[environment] >= 0):
        union = f"union {state.union[environment, g]}"
        graph.add_node(union, level=2)
        graph.add_node(f"group {g}", level=1)
        weight = float(state.union_weight[environment, g])
        graph.add_edge(union, f"group {g}", weight=weight, what="reward")
    return graph
