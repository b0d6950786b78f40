"""Groups: joining, bargaining, scheduled changes, and how rewards are shared.

Arguments: see :mod:`grid.adasociety`.
"""

from __future__ import annotations

import numpy as np

from grid.adasociety.state import MOVES_NEXT, OFFER, PARTNER, REQUESTED, Scratch, State
from grid.adasociety.tables import MAX_GROUPS, PARITY, SPLITS, Tables
from grid.core.arrays import Floats, SmallInts
from grid.core.jit import compiled, inlined
from grid.core.rng import below, draw

#: Marks, instead of a request, a member of a group that is being made.
MERGING = -2


@compiled
def join(s: State, b: int, i: int, group: int) -> None:
    """Leave all groups and join one, with weight 1."""
    for k in range(MAX_GROUPS):
        s.group[b, i, k] = -1
        s.weight[b, i, k] = 0.0
    s.group[b, i, 0] = group
    s.weight[b, i, 0] = 1.0


@compiled
def choose_group(t: Tables, s: State, b: int, actions: SmallInts) -> None:
    """The contract stage: whose turn it is joins a group; nobody can abstain."""
    chooser = s.order[b, s.step[b] % t.agents]
    group = actions[chooser] - t.actions.join
    if group < 0 or group >= t.groups:
        group = below(draw(s.key[b], s.step[b], PARITY, chooser), t.groups)
    join(s, b, chooser, group)


@compiled
def negotiate(t: Tables, s: State, b: int, actions: SmallInts) -> None:
    """The negotiation stage: pairs bargain in turns, agents that request each other are matched."""
    a = t.actions
    for i in range(t.agents):
        s.bargain[b, i, REQUESTED] = -1
        partner, wanted = s.bargain[b, i, PARTNER], actions[i] - a.request
        if partner < 0 and 0 <= wanted < t.agents and wanted != i:
            s.bargain[b, i, REQUESTED] = wanted
    for i in range(t.agents):
        partner = s.bargain[b, i, PARTNER]
        if partner > i:
            mover = i if s.bargain[b, i, MOVES_NEXT] else partner
            bargain(t, s, b, mover, partner if mover == i else i, actions[mover])
    for i in range(t.agents):
        j = s.bargain[b, i, REQUESTED]
        if j > i and s.bargain[b, j, REQUESTED] == i and s.bargain[b, j, PARTNER] < 0:
            s.bargain[b, i, PARTNER], s.bargain[b, j, PARTNER] = j, i
            first = np.int32(draw(s.key[b], s.step[b], PARITY, i) & np.uint64(1))
            s.bargain[b, i, MOVES_NEXT], s.bargain[b, j, MOVES_NEXT] = first, 1 - first
            s.bargain[b, i, OFFER], s.bargain[b, j, OFFER] = 0, 0
    if s.step[b] + 1 == t.negotiation_steps:
        for i in range(t.agents):
            part(s, b, i)


@inlined
def bargain(t: Tables, s: State, b: int, mover: int, other: int, action: int) -> None:
    """One turn of two that bargain; an offer is what its proposer keeps, in tenths."""
    a = t.actions
    s.bargain[b, mover, MOVES_NEXT], s.bargain[b, other, MOVES_NEXT] = 0, 1
    if a.propose <= action < a.propose + SPLITS:
        s.bargain[b, other, OFFER] = action - a.propose + 1
    elif action == a.accept and s.bargain[b, mover, OFFER]:
        merge(t, s, b, other, mover, s.bargain[b, mover, OFFER] / 10.0)
        part(s, b, other)
        part(s, b, mover)
    elif action == a.end:
        part(s, b, other)
        part(s, b, mover)


@compiled
def part(s: State, b: int, i: int) -> None:
    """End an agent's bargaining."""
    s.bargain[b, i, PARTNER] = -1
    s.bargain[b, i, MOVES_NEXT] = 0
    s.bargain[b, i, OFFER] = 0


@compiled
def merge(t: Tables, s: State, b: int, one: int, other: int, share: float) -> None:
    """Make one group of two agents, or of the groups they are in; ``share`` goes to the first's."""
    first, second = s.group[b, one, 0], s.group[b, other, 0]
    if first >= 0 and first == second:
        return
    into = first if first >= 0 else (second if second >= 0 else one)
    for i in (one, other):
        if s.group[b, i, 0] < 0:
            s.weight[b, i, 0] = 1.0
    ours, theirs = 0.0, 0.0
    for i in range(t.agents):
        if i == one or (first >= 0 and s.group[b, i, 0] == first):
            ours += s.weight[b, i, 0]
        elif i == other or (second >= 0 and s.group[b, i, 0] == second):
            theirs += s.weight[b, i, 0]
    for i in range(t.agents):
        if i == one or (first >= 0 and s.group[b, i, 0] == first):
            s.weight[b, i, 0] *= share / ours
        elif i == other or (second >= 0 and s.group[b, i, 0] == second):
            s.weight[b, i, 0] *= (1.0 - share) / theirs
        else:
            continue
        s.bargain[b, i, REQUESTED] = MERGING
    for i in range(t.agents):
        if s.bargain[b, i, REQUESTED] == MERGING:
            s.bargain[b, i, REQUESTED] = -1
            s.group[b, i, 0] = into


@compiled
def change_structure(t: Tables, s: State, b: int) -> None:
    """Put the groups in force that the game's structure has from this step on."""
    for change in range(len(t.change_steps)):
        if t.change_steps[change] != s.step[b]:
            continue
        for i in range(t.agents):
            for k in range(MAX_GROUPS):
                s.group[b, i, k] = t.change_groups[change, i, k]
                s.weight[b, i, k] = t.change_weights[change, i, k]
        for g in range(t.groups):
            s.union[b, g] = t.change_unions[change, g]
            s.union_weight[b, g] = t.change_union_weights[change, g]
        for i in range(t.agents):
            for j in range(t.agents):
                s.shares[b, i, j] = t.change_shares[change] if i != j else 0


@compiled
def pool_unions(t: Tables, s: State, x: Scratch, b: int) -> None:
    """Pool what the groups of each union earned, and pay it to them by weight."""
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
    """Pay what was earned: alone, or to one's groups in equal parts, which pay by weight."""
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
