"""A game as arrays: what the kernel looks up, made once from the rules.

Everything is by number: agents 0 … N-1, resources 0 … R-1 and events 0 … E-1 in the order of the
rules, groups 0 … G-1. An action is one number; :class:`Actions` says which numbers are what.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from grid.game import Game, Rules

Int = npt.NDArray[np.int64]
Float = npt.NDArray[np.float64]

#: Groups that an agent can be in at once.
MAX_GROUPS = 4
#: A capacity that is not named.
UNLIMITED = 2**31 - 1
#: A split is a multiple of a tenth: source: the public code.
SPLITS = 9

MOVES = 4
STAY = 4
PRODUCE = 5
FIRST_PICK = 6


class Actions(NamedTuple):
    """Where the blocks of action numbers start; a block that a game lacks is empty.

    0 to 3 move (up is x-1, down, left is y-1, right), 4 stays, 5 produces on the cell's event; then
    ``pick`` and ``dump``, one unit of each resource; ``message`` to each agent; ``share`` what is
    seen with each agent, or no longer; ``join`` each group; ``request`` to bargain with each agent;
    ``propose`` to keep 0.1 to 0.9; ``accept``, ``end``. ``total`` is how many there are.
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
    """What does not change while a game is played. Sets of resources are bits of a whole number."""

    height: int
    width: int
    agents: int
    resources: int
    events: int
    groups: int
    length: int
    blocks: int
    pad: int  # cells of the map repeated around it, so that a window is one slice
    channels: int  # of a cell: block, a byte a resource, a byte an event, agent, job
    contract_steps: int
    negotiation_steps: int
    actions: Actions
    sight: Int  # (N,) cells each way
    job: Int  # (N,) index in ``Names.jobs``
    capacity: Int  # (N, R)
    value: Float  # (N, R): preference times objective reward
    collect: Int  # (R,) what must be held to see and collect
    with_any: Int  # (R,) of which one must be held to collect; 0: nothing
    inputs: Int  # (E, R)
    output: Int  # (E,)
    operate: Int  # (E,) what must be held to see and use
    tools: int  # all that must be held for anything
    piles: Int  # (P, 2): resource and units of each pile
    stations: Int  # (S,): event of each station
    block_cells: Int  # (blocks,) cells of a layout; empty where places are drawn, as the next three
    pile_cells: Int  # (P,)
    station_cells: Int  # (S,)
    agent_cells: Int  # (N,)
    chest_cells: Int  # where things can be laid down; empty: everywhere
    change_steps: Int  # (K,) when the structure changes
    change_groups: Int  # (K, N, MAX_GROUPS) group or -1
    change_weights: Float  # (K, N, MAX_GROUPS)
    change_unions: Int  # (K, G) union of each group or -1
    change_union_weights: Float  # (K, G)
    change_shares: Int  # (K,) 1 where everybody shares with everybody


class Names(NamedTuple):
    """What the numbers mean, for people."""

    resources: list[str]
    events: list[str]
    jobs: list[str]
    agents: list[str]
    actions: list[str]


def make_tables(rules: Rules, game: Game) -> tuple[Tables, Names]:
    """The arrays of a game, and the names of what they hold."""
    resources, events = rules.in_play(game)
    jobs, count = game.jobs, len(game.jobs)
    kinds = list(dict.fromkeys(jobs))
    groups = _groups(game, count)
    actions = _actions(game, count, len(resources), groups)
    groups_by_step, weights, shares = _changes(game, count)
    unions, union_weights = _unions(game, groups)
    tables = Tables(
        height=game.map[0],
        width=game.map[1],
        agents=count,
        resources=len(resources),
        events=len(events),
        groups=groups,
        length=game.length,
        blocks=game.blocks,
        pad=max(rules.jobs[job].sight for job in jobs),
        channels=3 + len(resources) + len(events),
        contract_steps=game.stage.contract * count,
        negotiation_steps=game.stage.negotiation,
        actions=actions,
        sight=np.array([rules.jobs[job].sight for job in jobs]),
        job=np.array([kinds.index(job) for job in jobs]),
        capacity=np.array(
            [[rules.jobs[job].capacity.get(r, UNLIMITED) for r in resources] for job in jobs]
        ),
        value=np.array([[rules.score(job, {r: 1}) for r in resources] for job in jobs]),
        collect=np.array([_bits(rules.resources[r].requires, resources) for r in resources]),
        with_any=np.array([_bits(rules.resources[r].tools, resources) for r in resources]),
        inputs=np.array(
            [[rules.events[e].inputs.get(r, 0) for r in resources] for e in events], dtype=np.int64
        ).reshape(len(events), len(resources)),
        output=np.array([resources.index(rules.events[e].output) for e in events], dtype=np.int64),
        operate=np.array(
            [_bits(rules.events[e].requires, resources) for e in events], dtype=np.int64
        ),
        tools=_bits(_tools(rules, resources, events), resources),
        **_places(game, resources, events),
        change_steps=np.array([part.step for part in game.structure], dtype=np.int64),
        change_groups=groups_by_step,
        change_weights=weights,
        change_unions=unions,
        change_union_weights=union_weights,
        change_shares=shares,
    )
    agents = [f"{job}_{number}" for number, job in enumerate(jobs)]
    return tables, Names(resources, events, kinds, agents, _action_names(actions, resources, count))


def _places(game: Game, resources: list[str], events: list[str]) -> dict[str, Int]:
    """Piles and stations, and where they are, where a layout says so."""
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

    def numbers(values: Sequence[object]) -> Int:
        return np.array(values, dtype=np.int64)

    return {
        "piles": numbers(piles).reshape(-1, 2),
        "stations": numbers(stations),
        "block_cells": numbers([cell for cell, _ in game.cells("#")]),
        "pile_cells": numbers([cell for cell, *_ in lying]),
        "station_cells": numbers([cell for cell, _ in station_marks]),
        "agent_cells": numbers([cell for cell, _ in game.cells("@")]),
        "chest_cells": numbers(chests),
    }


def _tools(rules: Rules, resources: list[str], events: list[str]) -> tuple[str, ...]:
    needed = [rules.resources[name].requires for name in resources]
    needed += [rules.events[name].requires for name in events]
    return tuple({tool for tools in needed for tool in tools})


def _bits(names: tuple[str, ...], resources: list[str]) -> int:
    return sum(1 << resources.index(name) for name in names)


def _groups(game: Game, agents: int) -> int:
    """As many groups as agents, where agents choose; else as many as the structure names."""
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


def _changes(game: Game, agents: int) -> tuple[Int, Float, Int]:
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
    shares = np.array([int(part.shares == "all") for part in game.structure], dtype=np.int64)
    return groups, weights, shares


def _unions(game: Game, groups: int) -> tuple[Int, Float]:
    unions = np.full((len(game.structure), groups), -1)
    weights = np.zeros((len(game.structure), groups))
    for number, part in enumerate(game.structure):
        for union, members in enumerate(part.unions):
            for group, weight in members.items():
                unions[number, group], weights[number, group] = union, weight
    return unions, weights


def _action_names(actions: Actions, resources: list[str], agents: int) -> list[str]:
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
