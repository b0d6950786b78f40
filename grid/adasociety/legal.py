"""Decides which actions are legal. This module is used both to compute masks and to carry out
actions.

A step calls :func:`is_legal` for each chosen action and replaces an illegal action by staying, so
the code that carries out actions need not check again. Masks are built from the same functions.
Except for moves, legality does not depend on what other agents do in the same step, because a cell
contains at most one agent and partners in a bargain take turns.

:mod:`grid.adasociety` explains the arguments.
"""
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import numpy as np

from voxpolis.grid.adasociety.cells import event_at, neighbour, read_cell
from voxpolis.grid.adasociety.game import MAX_UNITS
from voxpolis.grid.adasociety.state import (
    ALL_STALE,
    GROUPS_STALE,
    MASK_STALE,
    MOVES_NEXT,
    OFFER,
    PARTNER,
    PLACE_STALE,
    State,
)
from voxpolis.grid.adasociety.tables import FIRST_PICK, MOVES, PRODUCE, SPLITS, STAY, Ground, Tables
from voxpolis.grid.core.arrays import Bytes
from voxpolis.grid.core.jit import compiled, inlined


@inlined
def has(held: int, needed: int) -> bool:
    """Return True if the set ``held`` contains all resources in ``needed``. Sets are bit masks."""
    return held & needed == needed


# --- Single actions ------------------------------------------------------------------------------


@inlined
def can_move(t: Tables, s: State, b: int, i: int, direction: int) -> bool:
    """Return True if no block is ahead of an agent. Another agent may still be in the way."""
    px, py = neighbour(t, s.position[b, i, 0], s.position[b, i, 1], direction)
    return read_cell(t, s, b, px, py, t.channel.ground) != Ground.BLOCK


@inlined
def can_pick(t: Tables, s: State, b: int, i: int, resource: int) -> bool:
    """Return True if an agent may take a unit of a resource from its cell."""
    px, py = s.position[b, i, 0], s.position[b, i, 1]
    if read_cell(t, s, b, px, py, t.channel.first_resource + resource) == 0:
        return False
    has_room = s.inventory[b, i, resource] < t.capacity[i, resource]
    tools = t.with_any[resource]
    has_tool = tools == 0 or (s.held[b, i] & tools) != 0
    return has_room and has_tool and has(s.held[b, i], t.collect[resource])


@inlined
def can_dump(t: Tables, s: State, b: int, i: int, resource: int) -> bool:
    """Return True if an agent may lay down a unit of a resource on its cell."""
    if s.inventory[b, i, resource] <= 0:
        return False
    px, py = s.position[b, i, 0], s.position[b, i, 1]
    if len(t.chest_cells) and read_cell(t, s, b, px, py, t.channel.ground) != Ground.CHEST:
        return False
    return read_cell(t, s, b, px, py, t.channel.first_resource + resource) < MAX_UNITS


@inlined
def can_produce(t: Tables, s: State, b: int, i: int) -> bool:
    """Return True if an agent may carry out the event of the station on its cell."""
    event = event_at(t, s, b, s.position[b, i, 0], s.position[b, i, 1])
    if event < 0 or not has(s.held[b, i], t.operate[event]):
        return False
    for resource in range(t.resources):
        if s.inventory[b, i, resource] < t.inputs[event, resource]:
            return False
    output = t.output[event]
    left = s.inventory[b, i, output] - t.inputs[event, output]
    return left + 1 <= t.capacity[i, output]


@inlined
def can_join(t: Tables, s: State, b: int, i: int, group: int) -> bool:
    """Return True if an agent may join a group during play. In a game with a contract stage, this
    is never allowed, because contracts are binding.
    """
    is_only = s.group[b, i, 0] == group and s.group[b, i, 1] < 0
    return t.contract_steps == 0 and not is_only


@inlined
def can_request(t: Tables, s: State, b: int, i: int, other: int) -> bool:
    """Return True if an agent may ask another agent to bargain. Neither may be bargaining already,
    and they must be in different groups.
    """
    group = s.group[b, i, 0]
    is_own = other == i or (group >= 0 and group == s.group[b, other, 0])
    return s.bargain[b, i, PARTNER] < 0 and s.bargain[b, other, PARTNER] < 0 and not is_own


@inlined
def can_end(s: State, b: int, i: int) -> bool:
    """Return True if an agent may end the bargain in its turn. One of the two partners must have
    made an offer.
    """
    return s.bargain[b, i, OFFER] > 0 or s.bargain[b, s.bargain[b, i, PARTNER], OFFER] > 0


@inlined
def is_choosing(t: Tables, s: State, b: int, i: int) -> bool:
    """Return True if it is the agent's turn to choose a group in the contract stage."""
    return s.order[b, s.step[b] % t.agents] == i


# --- Any action ----------------------------------------------------------------------------------


@compiled
def is_legal(t: Tables, s: State, b: int, i: int, action: int) -> bool:
    """Return True if an action (0 to A - 1) of an agent is legal now."""
    a = t.actions
    if s.step[b] < t.contract_steps:
        return a.join <= action < a.request if is_choosing(t, s, b, i) else action == STAY
    if s.step[b] < t.negotiation_steps:
        return is_legal_bargain(t, s, b, i, action)
    return is_legal_in_play(t, s, b, i, action)


@inlined
def is_legal_in_play(t: Tables, s: State, b: int, i: int, action: int) -> bool:
    """Return True if an action is legal during play."""
    a = t.actions
    if action < MOVES:
        return can_move(t, s, b, i, action)
    if action < a.message:
        return is_legal_here(t, s, b, i, action)
    if action < a.share:
        return action - a.message != i
    if action < a.join:
        return action - a.share != i
    return action < a.request and can_join(t, s, b, i, action - a.join)


@inlined
def is_legal_here(t: Tables, s: State, b: int, i: int, action: int) -> bool:
    """Return True if one of the actions that depend on the agent's cell is legal."""
    if action == STAY:
        return True
    if action == PRODUCE:
        return can_produce(t, s, b, i)
    if action < t.actions.dump:
        return can_pick(t, s, b, i, action - FIRST_PICK)
    return can_dump(t, s, b, i, action - t.actions.dump)


@inlined
def is_legal_bargain(t: Tables, s: State, b: int, i: int, action: int) -> bool:
    """Return True if an action is legal in the negotiation stage. An agent whose turn it is in a
    bargain cannot stay.
    """
    a = t.actions
    if a.request <= action < a.propose:
        return can_request(t, s, b, i, action - a.request)
    if not s.bargain[b, i, MOVES_NEXT]:
        return action == STAY
    if action == a.accept:
        return s.bargain[b, i, OFFER] > 0
    if action == a.end:
        return can_end(s, b, i)
    return a.propose <= action < a.propose + SPLITS


# --- Masks ---------------------------------------------------------------------------------------


@inlined
def mask_env(t: Tables, s: State, b: int, mask: Bytes, anew: bool) -> None:
    """Fill ``mask`` (N, A) with 1 for legal actions and 0 for other actions.

    Unless ``anew`` is True, ``mask`` must contain the mask of the previous step, and only what has
    changed is written. Writing only the changes saves much work: a game of 1000 agents has 3036
    actions, but an action of an agent changes only 36 bits of that agent's mask.
    """
    is_stage = s.step[b] <= max(t.contract_steps, t.negotiation_steps)
    for i in range(t.agents):
        stale = ALL_STALE if anew or is_stage else np.int64(s.stale[b, i]) & MASK_STALE
        if stale & ALL_STALE:
            mask_all(t, s, b, i, mask[i])
        else:
            if stale & PLACE_STALE:
                mask_place(t, s, b, i, mask[i])
            if stale & GROUPS_STALE:
                mask_groups(t, s, b, i, mask[i])
        if stale and not anew:
            s.stale[b, i] &= ~MASK_STALE & 255


@compiled
def mask_all(t: Tables, s: State, b: int, i: int, mask: Bytes) -> None:
    """Fill the whole ``mask`` (A,) of an agent."""
    for action in range(t.actions.total):
        mask[action] = is_legal(t, s, b, i, action)


@compiled
def mask_place(t: Tables, s: State, b: int, i: int, mask: Bytes) -> None:
    """During play, fill the part of an agent's action mask that depends on its cell and items."""
    a = t.actions
    for direction in range(MOVES):
        mask[direction] = can_move(t, s, b, i, direction)
    mask[PRODUCE] = can_produce(t, s, b, i)
    for resource in range(t.resources):
        mask[FIRST_PICK + resource] = can_pick(t, s, b, i, resource)
        mask[a.dump + resource] = can_dump(t, s, b, i, resource)


@compiled
def mask_groups(t: Tables, s: State, b: int, i: int, mask: Bytes) -> None:
    """Fill the part of an agent's mask that says which groups it can join during play."""
    for group in range(t.actions.request - t.actions.join):
        mask[t.actions.join + group] = can_join(t, s, b, i, group)
