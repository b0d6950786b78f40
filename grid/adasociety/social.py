"""The social state as a graph, for people and for measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from voxpolis.grid.adasociety.vector import VectorGame

if TYPE_CHECKING:
    import networkx as nx


def social_graph(game: VectorGame, environment: int = 0) -> nx.DiGraph:
    """The directed graph in force: agents (``level`` 0), groups (1) and unions of groups (2).

    An edge between agents shares what the first sees; an edge from a group to a member, or from a
    union to a group, has the ``weight`` by which it pays. Groups without members are left out.
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
