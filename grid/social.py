"""The social state as a graph, for people and for measures."""

from __future__ import annotations

import networkx as nx
import numpy as np

from grid.vector import VectorGame


def social_graph(game: VectorGame, environment: int = 0) -> nx.DiGraph:
    """The directed graph in force: agents (``level`` 0) and groups (``level`` 1) with members.

    An edge between agents shares what the first sees; an edge from a group to a member has the
    ``weight`` by which the group pays it. Groups without members are left out.
    """
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
    return graph
