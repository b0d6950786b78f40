"""Groups of agents: joining, bargaining, scheduled changes, and the sharing of rewards.

:mod:`grid.adasociety` explains the arguments.
"""

from __future__ import annotations

import numpy as np

from voxpolis.grid.adasociety.game import MAX_GROUPS
from voxpolis.grid.adasociety.state import (
    GROUPS_STALE,
    MOVES_NEXT,
    OFFER,
    PARTNER,
    REQUESTED,
    Scratch,
    State,
)
from voxpolis.grid.adasociety.tables import PARITY, SPLITS, Tables
from voxpolis.grid.core.arrays import Floats, SmallInts
from voxpolis.grid.core.jit import compiled, inlined
from voxpolis.grid.core.rng import below, draw

# Values of ``Scratch.fate``: for agents whose groups are being merged, and for all other agents.
MERGING, NOT_MERGING = 1, 0


@compiled
def join(s: State, b: int, i: int, group: int) -> None:
    """Let an agent leave all its groups and join one group with weight 1."""
    for k in range(MAX_GROUPS):
        s.group[b, i, k] = -1
        s.weight[b, i, k] = 0.0
    s.group[b, i, 0] = group
    s.weight[b, i, 0] = 1.0
    s.stale[b, i] |= GROUPS_STALE


@compiled
def choose_group(t: Tables, s: State, b: int, actions: SmallInts) -> None:
    """Let the agent whose turn it is in the contract stage join a group. The agent cannot abstain;
    if its action is invalid, a group is drawn.
    """
    chooser = s.order[b, s.step[b] % t.agents]
    group = actions[chooser] - t.actions.join
    if group < 0:
        group = below(draw(s.key[b], s.step[b], PARITY, chooser), t.groups)
    join(s, b, chooser, group)


@compiled
def negotiate(t: Tables, s: State, x: Scratch, b: int) -> None:
    """Carry out a step of the negotiation stage, in which pairs bargain in turns and agents find
    partners.

    Two agents that request each other become partners. A request is valid even if the bargain of
    one of the two ends in the same step.
    """
    a = t.actions
    for i in range(t.agents):
        wanted = x.chosen[i] - a.request
        s.bargain[b, i, REQUESTED] = wanted if 0 <= wanted < t.agents else -1
    for i in range(t.agents):
        partner = s.bargain[b, i, PARTNER]
        if partner > i:
            mover = i if s.bargain[b, i, MOVES_NEXT] else partner
            bargain(t, s, x, b, mover, partner if mover == i else i)
    for i in range(t.agents):
        j = s.bargain[b, i, REQUESTED]
        if j > i and s.bargain[b, j, REQUESTED] == i:
            s.bargain[b, i, PARTNER], s.bargain[b, j, PARTNER] = j, i
            first = np.int32(draw(s.key[b], s.step[b], PARITY, i) & np.uint64(1))
            s.bargain[b, i, MOVES_NEXT], s.bargain[b, j, MOVES_NEXT] = first, 1 - first
            s.bargain[b, i, OFFER], s.bargain[b, j, OFFER] = 0, 0
    if s.step[b] + 1 == t.negotiation_steps:
        for i in range(t.agents):
            end_bargain(s, b, i)


@inlined
def bargain(t: Tables, s: State, x: Scratch, b: int, mover: int, other: int) -> None:
    """Carry out one turn in a bargain. An offer is the share that the proposer would keep, in
    tenths.
    """
    a, action = t.actions, x.chosen[mover]
    s.bargain[b, mover, MOVES_NEXT], s.bargain[b, other, MOVES_NEXT] = 0, 1
    if a.propose <= action < a.propose + SPLITS:
        s.bargain[b, other, OFFER] = action - a.propose + 1
    elif action == a.accept:
        merge(t, s, x, b, other, mover, s.bargain[b, mover, OFFER] / 10.0)
        end_bargain(s, b, other)
        end_bargain(s, b, mover)
    elif action == a.end:
        end_bargain(s, b, other)
        end_bargain(s, b, mover)


@compiled
def end_bargain(s: State, b: int, i: int) -> None:
    """Reset an agent's part of a bargain that has ended."""
    s.bargain[b, i, PARTNER] = -1
    s.bargain[b, i, MOVES_NEXT] = 0
    s.bargain[b, i, OFFER] = 0


@compiled
def merge(t: Tables, s: State, x: Scratch, b: int, one: int, other: int, share: float) -> None:
    """Merge two agents or their groups into one group. The first agent or its group gets the
    fraction ``share`` of the earnings, and the other side gets the rest.
    """
    first, second = s.group[b, one, 0], s.group[b, other, 0]
    if first >= 0 and first == second:
        return
    into = first if first >= 0 else (second if second >= 0 else one)
    if first < 0:
        s.weight[b, one, 0] = 1.0
    if second < 0:
        s.weight[b, other, 0] = 1.0
    ours, theirs = 0.0, 0.0
    for i in range(t.agents):
        if i == one or (first >= 0 and s.group[b, i, 0] == first):
            ours += s.weight[b, i, 0]
        elif i == other or (second >= 0 and s.group[b, i, 0] == second):
            theirs += s.weight[b, i, 0]
    for i in range(t.agents):
        x.fate[i] = MERGING
        if i == one or (first >= 0 and s.group[b, i, 0] == first):
            s.weight[b, i, 0] *= share / ours
        elif i == other or (second >= 0 and s.group[b, i, 0] == second):
            s.weight[b, i, 0] *= (1.0 - share) / theirs
        else:
            x.fate[i] = NOT_MERGING
    for i in range(t.agents):
        if x.fate[i] == MERGING:
            s.group[b, i, 0] = into


@compiled
def change_structure(t: Tables, s: State, b: int) -> None:
    """Apply the groups of the game's structure that exist from this step on."""
    for change in range(len(t.change_steps)):
        if t.change_steps[change] != s.step[b]:
            continue
        for i in range(t.agents):
            for k in range(MAX_GROUPS):
                s.group[b, i, k] = t.change_groups[change, i, k]
                s.weight[b, i, k] = t.change_weights[change, i, k]
            s.stale[b, i] |= GROUPS_STALE
        for g in range(t.groups):
            s.union[b, g] = t.change_unions[change, g]
            s.union_weight[b, g] = t.change_union_weights[change, g]
        s.shares[b] = 0
        for k in range(len(t.change_edges)):
            if t.change_edges[k, 0] == change:
                s.shares[b, t.change_edges[k, 1], t.change_edges[k, 2]] = 1


@compiled
def pool_unions(t: Tables, s: State, x: Scratch, b: int) -> None:
    """Pool the earnings of each union's groups, and pay them back to the groups by weight."""
    for union in range(t.groups):
        pooled, weights = 0.0, 0.0
        for g in range(t.groups):
            if s.union[b, g] == union and x.weights[g] > 0:
                pooled += x.pot[g]
                weights += s.union_weight[b, g]
        for g in range(t.groups):
            if s.union[b, g] == union and x.weights[g] > 0:
                x.pot[g] = pooled * s.union_weight[b, g] / weights


@inlined
def share_rewards(t: Tables, s: State, x: Scratch, b: int, rewards: Floats) -> None:
    """Pay the earnings of this step. An agent without a group keeps its earnings. The earnings of
    any other agent are divided equally among its groups, and each group pays its members by weight.
    """
    for g in range(t.groups):
        x.pot[g] = 0.0
        x.weights[g] = 0.0
    for i in range(t.agents):
        number = 0
        while number < MAX_GROUPS and s.group[b, i, number] >= 0:
            number += 1
        rewards[i] = 0.0 if number else x.earned[i]
        for k in range(number):
            g = s.group[b, i, k]
            x.pot[g] += x.earned[i] / number
            x.weights[g] += s.weight[b, i, k]
    if len(t.change_steps):
        pool_unions(t, s, x, b)
    for i in range(t.agents):
        for k in range(MAX_GROUPS):
            g = s.group[b, i, k]
            if g < 0:
                break
            rewards[i] += x.pot[g] * s.weight[b, i, k] / x.weights[g]
        s.score[b, i] += rewards[i]
