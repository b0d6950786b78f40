"""A game as arrays: the lookup tables of the kernel, which are built once from the rules.

Agents are numbered 0 … N-1, resources 0 … R-1, events 0 … E-1 (in the order of the rules) and
groups 0 … G-1. An action is a number, see :class:`Actions`. A cell is a row of bytes, see
:class:`Channels`; the number of a cell is row · width + column.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from voxpolis.grid.adasociety.game import MAX_GROUPS, Game, Rules
from voxpolis.grid.core.arrays import Float2, Float3, Int1, Int2, Int3

# Default capacity.
UNLIMITED = 2**31 - 1
# Splits are multiples of a tenth. Source: the public code.
SPLITS = 9

UP, DOWN, LEFT, RIGHT, STAY, PRODUCE, FIRST_PICK = range(7)
MOVES = 4
# Streams of random numbers, by purpose.
CELLS, ORDER, ACTORS, MOVERS, PARITY = range(5)


class Ground(IntEnum):
    """The ground of a cell. Agents cannot enter blocks, and they can put items into chests."""

    FREE = 0
    BLOCK = 1
    CHEST = 2


class Channels(NamedTuple):
    """The positions of the bytes within a cell.

    ``ground`` is a :class:`Ground`. The bytes from ``first_resource`` on contain the numbers of
    units of each resource on the cell. The bytes from ``first_event`` on are 1 if the station of
    that event is on the cell. ``agent`` is the agent's number + 1 (at most 255), and ``job`` is the
    number of its job + 1. Both are 0 on a cell without an agent.
    """

    ground: int
    first_resource: int
    first_event: int
    agent: int
    job: int

    @property
    def resources(self) -> slice:
        return slice(self.first_resource, self.first_event)

    @property
    def events(self) -> slice:
        return slice(self.first_event, self.agent)


class Actions(NamedTuple):
    """The numbers of actions. Each attribute is the first number of a block of similar actions; a
    block is empty if the game has no such actions.

    Actions 0 to 3 move up (x-1), down, left (y-1) and right, 4 stays, and 5 carries out the event
    of the cell. Then follow the blocks: ``pick`` and ``dump`` one unit of each resource;
    ``message`` to each agent; ``share`` observations with each agent, or stop sharing; ``join``
    each group; ``request`` each agent to bargain; ``propose`` to keep 0.1 to 0.9; ``accept``; and
    ``end``. ``total`` is the number of actions.
    """

    pick: int
    dump: int
    message: int
    share: int
    join: int
    request: int
    propose: int
    accept: int
    end: int
    total: int


class Tables(NamedTuple):
    """The constants of a game. A set of resources is a bit mask."""

    height: int
    width: int
    agents: int
    resources: int
    events: int
    groups: int
    length: int
    blocks: int
    pad: int  # number of cells repeated around the map, so that each window is one slice
    channels: int  # number of bytes per cell
    channel: Channels  # their offsets
    contract_steps: int
    negotiation_steps: int
    actions: Actions
    sight: Int1  # (N,) cells in each direction
    job: Int1  # (N,) index in ``Names.jobs``
    capacity: Int2  # (N, R)
    value: Float2  # (N, R): preference times objective reward
    collect: Int1  # (R,) resources required to see and collect it
    with_any: Int1  # (R,) alternative tools to collect it; 0: none needed
    inputs: Int2  # (E, R)
    output: Int1  # (E,)
    operate: Int1  # (E,) resources required to see and use it
    tools: int  # all resources that anything requires
    piles: Int2  # (P, 2): resource and units of each pile
    stations: Int1  # (S,): event of each station
    # (blocks,) from a layout; this array and the next three are empty if positions are drawn
    block_cells: Int1
    pile_cells: Int1  # (P,)
    station_cells: Int1  # (S,)
    agent_cells: Int1  # (N,)
    chest_cells: Int1  # cells where items can be laid down; empty: all
    change_steps: Int1  # (K,) steps at which the structure changes
    change_groups: Int3  # (K, N, MAX_GROUPS) group or -1
    change_weights: Float3  # (K, N, MAX_GROUPS)
    change_unions: Int2  # (K, G) union of each group or -1
    change_union_weights: Float2  # (K, G)
    change_edges: Int2  # (M, 3): index of the change, agent that shares, agent it shares with
    can_share: int  # 1 if agents, or a change, can share observations


class Names(NamedTuple):
    """The names of resources, events, jobs, agents and actions, in the order of their numbers."""

    resources: list[str]
    events: list[str]
    jobs: list[str]
    agents: list[str]
    actions: list[str]


def make_tables(rules: Rules, game: Game) -> tuple[Tables, Names]:
    """Build the tables of a game, and the names that belong to its numbers."""
    resources, events = rules.in_play(game)
    jobs = game.jobs
    names = list(dict.fromkeys(jobs))
    groups = _groups(game, len(jobs))
    actions = _actions(game, len(jobs), len(resources), groups)
    *starts, channels = accumulate((1, len(resources), len(events), 1, 1), initial=0)
    tables = Tables(
        height=game.map[0],
        width=game.map[1],
        agents=len(jobs),
        resources=len(resources),
        events=len(events),
        groups=groups,
        length=game.length,
        blocks=game.blocks,
        pad=max(rules.jobs[job].sight for job in jobs),
        channels=channels,
        channel=Channels(*starts),
        contract_steps=game.stage.contract * len(jobs),
        negotiation_steps=game.stage.negotiation,
        actions=actions,
        job=_numbers([names.index(job) for job in jobs]),
        tools=_bits(_tools(rules, resources, events), resources),
        **_of_agents(rules, jobs, resources),
        **_of_resources_and_events(rules, resources, events),
        **_places(game, resources, events),
        **_changes(game, len(jobs)),
        **_unions(game, groups),
        **_shares(game, len(jobs)),
    )
    agents = [f"{job}_{number}" for number, job in enumerate(jobs)]
    words = _action_names(actions, resources)
    return tables, Names(resources, events, names, agents, words)


def _numbers(values: Sequence[object]) -> Int1:
    return np.array(values, dtype=np.int64)


def _of_agents(rules: Rules, jobs: list[str], resources: list[str]) -> dict[str, Any]:
    room = [[rules.jobs[job].capacity.get(r, UNLIMITED) for r in resources] for job in jobs]
    return {
        "sight": _numbers([rules.jobs[job].sight for job in jobs]),
        "capacity": np.array(room, dtype=np.int64),
        "value": np.array([[rules.score(job, {r: 1}) for r in resources] for job in jobs]),
    }


def _of_resources_and_events(
    rules: Rules, resources: list[str], events: list[str]
) -> dict[str, Any]:
    things = [rules.resources[name] for name in resources]
    made = [rules.events[name] for name in events]
    inputs = np.array([[e.inputs.get(r, 0) for r in resources] for e in made], dtype=np.int64)
    return {
        "collect": _numbers([_bits(thing.requires, resources) for thing in things]),
        "with_any": _numbers([_bits(thing.tools, resources) for thing in things]),
        "inputs": inputs.reshape(len(events), len(resources)),
        "output": _numbers([resources.index(event.output) for event in made]),
        "operate": _numbers([_bits(event.requires, resources) for event in made]),
    }


def _places(game: Game, resources: list[str], events: list[str]) -> dict[str, Any]:
    legend = game.legend
    if game.layout:
        marks = game.cells("".join(legend))
        lying = [(cell, *pile) for cell, s in marks for pile in legend[s].holds.items()]
        station_marks = [(cell, legend[s]) for cell, s in marks if legend[s].event]
        chests = [cell for cell, s in marks if legend[s].chest is not None]
        piles = [(resources.index(name), units) for _, name, units in lying]
        stations = [events.index(symbol.event) for _, symbol in station_marks]
    else:
        lying, station_marks, chests = [], [], []
        piles = [
            (resources.index(name), units)
            for name, (number, units) in game.piles.items()
            for _ in range(number)
        ]
        stations = [events.index(name) for name, n in game.events.items() for _ in range(n)]
    return {
        "piles": _numbers(piles).reshape(-1, 2),
        "stations": _numbers(stations),
        "block_cells": _numbers([cell for cell, _ in game.cells("#")]),
        "pile_cells": _numbers([cell for cell, *_ in lying]),
        "station_cells": _numbers([cell for cell, _ in station_marks]),
        "agent_cells": _numbers([cell for cell, _ in game.cells("@")]),
        "chest_cells": _numbers(chests),
    }


def _tools(rules: Rules, resources: list[str], events: list[str]) -> tuple[str, ...]:
    needed = [rules.resources[name].requires for name in resources]
    needed += [rules.events[name].requires for name in events]
    return tuple({tool for tools in needed for tool in tools})


def _bits(names: tuple[str, ...], resources: list[str]) -> int:
    return sum(1 << resources.index(name) for name in names)


def _groups(game: Game, agents: int) -> int:
    """Return the number of groups: one per agent if agents can choose groups, otherwise as many as
    the game's structure contains.
    """
    if game.stage_steps or "join" in game.social:
        return agents
    return max([len(part.groups) for part in game.structure], default=0)


def _actions(game: Game, agents: int, resources: int, groups: int) -> Actions:
    negotiates = bool(game.stage.negotiation)
    joins = bool(game.stage.contract) or "join" in game.social
    sizes = (
        resources,
        resources,
        agents if "message" in game.social else 0,
        agents if "share" in game.social else 0,
        groups if joins else 0,
        agents if negotiates else 0,
        SPLITS if negotiates else 0,
        int(negotiates),
        int(negotiates),
    )
    return Actions(*accumulate(sizes, initial=FIRST_PICK))


def _changes(game: Game, agents: int) -> dict[str, Any]:
    steps = len(game.structure)
    groups = np.full((steps, agents, MAX_GROUPS), -1)
    weights = np.zeros((steps, agents, MAX_GROUPS))
    for number, part in enumerate(game.structure):
        taken = [0] * agents
        for group, members in enumerate(part.groups):
            for member, weight in members.items():
                groups[number, member, taken[member]] = group
                weights[number, member, taken[member]] = weight
                taken[member] += 1
    return {
        "change_steps": _numbers([part.step for part in game.structure]),
        "change_groups": groups,
        "change_weights": weights,
    }


def _shares(game: Game, agents: int) -> dict[str, Any]:
    """Return which agents share observations, for each change of the game's structure."""
    edges = {
        (number, one, other)
        for number, part in enumerate(game.structure)
        for circle in part.circles(agents)
        for one in circle
        for other in circle
        if one != other
    }
    can_share = bool(edges) or "share" in game.social
    return {"change_edges": _numbers(sorted(edges)).reshape(-1, 3), "can_share": int(can_share)}


def _unions(game: Game, groups: int) -> dict[str, Any]:
    unions = np.full((len(game.structure), groups), -1)
    weights = np.zeros((len(game.structure), groups))
    for number, part in enumerate(game.structure):
        for union, members in enumerate(part.unions):
            for group, weight in members.items():
                unions[number, group], weights[number, group] = union, weight
    return {"change_unions": unions, "change_union_weights": weights}


def _action_names(actions: Actions, resources: list[str]) -> list[str]:
    names = ["up", "down", "left", "right", "stay", "produce"]
    names += [f"pick {r}" for r in resources] + [f"dump {r}" for r in resources]
    blocks = [*zip(Actions._fields[2:9], actions[2:9], actions[3:10], strict=True)]
    for what, start, end in blocks:
        if what == "propose":
            names += [f"propose {split / 10:g}" for split in range(1, end - start + 1)]
        elif what in ("accept", "end"):
            names += [what] * (end - start)
        else:
            names += [f"{what} {number}" for number in range(end - start)]
    return names
