"""An upper bound on the welfare of a game, from an integer program that HiGHS solves.

Source: Huang et al., "AdaSociety" (NeurIPS 2024). The bound assumes that any agent can obtain
everything on the map, and that each resource goes to the agent that values it most. It ignores
capacities, distances and time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from voxpolis.grid.adasociety.game import Game, Rules
from voxpolis.grid.adasociety.tables import Tables, make_tables

# Big M: more units than any game has, to make binary variables bind.
MANY = 1e6


@dataclass(frozen=True)
class Optimum:
    """The solution. ``welfare`` is the sum of all rewards, and ``executions`` says how often each
    event happens.
    """

    welfare: float
    executions: dict[str, int]


def optimum(rules: Rules, game: Game) -> Optimum:
    """Compute the upper bound of a game.

    Raises:
        RuntimeError: the solver found no solution, which cannot happen for a validated game.
    """
    tables, names = make_tables(rules, game)
    stock = np.zeros(tables.resources)
    np.add.at(stock, tables.piles[:, 0], tables.piles[:, 1])
    value = tables.value.max(0)
    made = -tables.inputs.T.astype(float)  # (R, E): units added by one execution
    made[tables.output, np.arange(tables.events)] += 1
    return _solve(tables, names.events, stock, value, made, _needs(tables))


def _needs(tables: Tables) -> list[list[list[int]]]:
    """Return, for each resource and then for each event, which tools must be made first.

    Each tool is represented by the events that make it; one of these events must happen. A tool
    that lies on the map needs no event. If there are alternative tools, an event that makes any of
    them is enough.
    """
    piled = set(map(int, tables.piles[:, 0]))

    def makers(tools: list[int]) -> list[int]:
        return [int(event) for tool in tools for event in np.flatnonzero(tables.output == tool)]

    each = [
        [makers([tool]) for tool in _bits(int(need)) if tool not in piled]
        for need in (*tables.collect, *tables.operate)
    ]
    for resource, tools in enumerate(_bits(int(need)) for need in tables.with_any):
        if tools and not set(tools) & piled:
            each[resource].append(makers(tools))
    return each


def _bits(word: int) -> list[int]:
    return [bit for bit in range(word.bit_length()) if word >> bit & 1]


def _solve(
    t: Tables,
    events: list[str],
    stock: np.ndarray,
    value: np.ndarray,
    made: np.ndarray,
    needs: list[list[list[int]]],
) -> Optimum:
    """Build the integer program and solve it.

    The variables are how often each event is carried out, x (E); whether each resource is
    collected, a (R); how many units are collected, c (R); and whether each event happens at all, h
    (E).
    """
    e, r = t.events, t.resources
    size = e + r + r + e
    x, a, c, h = 0, e, e + r, e + 2 * r
    rows: list[np.ndarray] = []
    low: list[float] = []

    def at_least(bound: float, *terms: tuple[int, float]) -> None:
        row = np.zeros(size)
        for column, factor in terms:
            row[column] += factor
        rows.append(row)
        low.append(bound)

    for k in range(r):
        at_least(0, (a + k, stock[k]), (c + k, -1.0))  # c <= stock * a
        at_least(0, (c + k, 1.0), *((x + j, made[k, j]) for j in range(e)))  # balance
        for makers in needs[k]:
            at_least(0, (a + k, -1.0), *((x + j, 1.0) for j in makers))
    for j in range(e):
        at_least(0, (h + j, MANY), (x + j, -1.0))
        for makers in needs[r + j]:
            at_least(0, (h + j, -1.0), *((x + m, 1.0) for m in makers))
    cost = np.zeros(size)
    cost[c : c + r] = -value
    cost[x : x + e] = -(value @ made)
    upper = np.concatenate([np.full(e, MANY), np.ones(r), np.maximum(stock, 0), np.ones(e)])
    import highspy  # noqa: PLC0415  (a scenario that is only listed needs no solver)

    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    integer = highspy.HighsVarType.kInteger
    columns = [solver.addVariable(0, upper[i], cost[i], type=integer) for i in range(size)]
    for row, bound in zip(rows, low, strict=True):
        used = np.flatnonzero(row)
        solver.addRow(bound, highspy.kHighsInf, len(used), used, row[used])
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise RuntimeError(f"no optimum was found: {solver.getModelStatus()}")
    counts = [round(solver.val(column)) for column in columns[x : x + e]]
    welfare = -float(solver.getInfo().objective_function_value)
    return Optimum(welfare, dict(zip(events, counts, strict=True)))
