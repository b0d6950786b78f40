"""The game's rules, compiled: reset, step, reward sharing, observation and masks of one environment.

Plain functions over the arrays of :mod:`grid.state`; ``b`` is the environment's number in the batch.
Source of the rules: Huang et al., "AdaSociety" (NeurIPS 2024); where paper and code leave something
open, docs/grid.md says what we chose. ``tests/grid_reference.py`` has the same rules in plain Python.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from grid.chance import ACTORS, CELLS, MOVERS, ORDER, PARITY, below, draw, episode_key
from grid.state import MOVES_NEXT, OFFER, PARTNER, REQUESTED
from grid.tables import FIRST_PICK, MAX_GROUPS, MOVES, PRODUCE, SPLITS, STAY

#: Fates of a move: nothing known yet, being looked at, goes, stays.
UNKNOWN, LOOKING, GOES, STAYS = 0, 1, 2, 3
MAX_UNITS = 255

_jit = njit(cache=True, nogil=True, _nrt=False)
_inline = njit(cache=True, nogil=True, _nrt=False, inline="always")


# --- The map -------------------------------------------------------------------------------------


@_inline
def put(t, s, b, x, y, channel, value):
    """Write a byte of a cell, and of its repetitions around the map."""
    for i in range(x + t.pad - t.height, t.height + 2 * t.pad, t.height):
        if i < 0:
            continue
        for j in range(y + t.pad - t.width, t.width + 2 * t.pad, t.width):
            if j >= 0:
                s.plane[b, i, j * t.channels + channel] = value


@_inline
def look(t, s, b, x, y, channel):
    """Read a byte of a cell."""
    return s.plane[b, x + t.pad, (y + t.pad) * t.channels + channel]


@_inline
def event_at(t, s, b, x, y):
    """The event whose station stands on a cell; -1: none."""
    for event in range(t.events):
        if look(t, s, b, x, y, 1 + t.resources + event):
            return event
    return -1


@_inline
def set_agent(t, s, b, x, y, number):
    """Let an agent (its number + 1; 0: nobody) stand on a cell."""
    s.occupant[b, x, y] = number
    put(t, s, b, x, y, t.channels - 2, min(number, MAX_UNITS))
    put(t, s, b, x, y, t.channels - 1, t.job[number - 1] + 1 if number else 0)


# --- Reset ---------------------------------------------------------------------------------------


@_jit
def reset_env(t, s, x, b):
    """Begin the next episode of an environment."""
    s.episode[b] += 1
    s.step[b] = 0
    s.key[b] = episode_key(s.seed[b], s.episode[b])
    s.plane[b] = 0
    s.occupant[b] = 0
    s.inventory[b] = 0
    s.held[b] = 0
    s.group[b] = -1
    s.weight[b] = 0.0
    s.shares[b] = 0
    s.sent[b] = -1
    s.bargain[b] = 0
    s.executed[b] = 0
    s.score[b] = 0.0
    place_all(t, s, x, b)
    for i in range(t.agents):
        s.bargain[b, i, PARTNER] = -1
        s.bargain[b, i, REQUESTED] = -1
        s.order[b, i] = i
        update_sight(t, s, b, i)
    for i in range(t.agents - 1, 0, -1):
        j = below(draw(s.key[b], 0, ORDER, i), i + 1)
        s.order[b, i], s.order[b, j] = s.order[b, j], s.order[b, i]
    change_structure(t, s, b)


@_jit
def place_all(t, s, x, b):
    """Blocks, then piles, stations and agents, each kind on distinct cells that are free."""
    cells = t.height * t.width
    for cell in range(cells):
        x.cells[cell] = cell
    drawn = 0
    for number in range(t.blocks):
        cell = take_cell(s, x, b, number, cells, drawn)
        drawn += 1
        put(t, s, b, cell // t.width, cell % t.width, 0, 1)
    for number in range(len(t.piles)):
        cell = take_cell(s, x, b, t.blocks + number, cells, drawn)
        drawn += 1
        channel, units = 1 + t.piles[number, 0], t.piles[number, 1]
        put(t, s, b, cell // t.width, cell % t.width, channel, units)
    for number in range(len(t.stations)):
        cell = take_cell(s, x, b, t.blocks + number, cells, drawn)
        drawn += 1
        channel = 1 + t.resources + t.stations[number]
        put(t, s, b, cell // t.width, cell % t.width, channel, 1)
    for number in range(t.agents):
        cell = take_cell(s, x, b, t.blocks + number, cells, drawn)
        drawn += 1
        s.position[b, number, 0], s.position[b, number, 1] = cell // t.width, cell % t.width
        set_agent(t, s, b, cell // t.width, cell % t.width, number + 1)


@_jit
def take_cell(s, x, b, number, cells, drawn):
    """Shuffle: draw the cell that comes at place ``number`` out of those from there on."""
    other = number + below(draw(s.key[b], 0, CELLS, drawn), cells - number)
    x.cells[number], x.cells[other] = x.cells[other], x.cells[number]
    return x.cells[number]


@_jit
def change_structure(t, s, b):
    """Put the groups in force that the game's structure has from this step on."""
    for change in range(len(t.change_steps)):
        if t.change_steps[change] != s.step[b]:
            continue
        for i in range(t.agents):
            for k in range(MAX_GROUPS):
                s.group[b, i, k] = t.change_groups[change, i, k]
                s.weight[b, i, k] = t.change_weights[change, i, k]
            for j in range(t.agents):
                s.shares[b, i, j] = t.change_shares[change] if i != j else 0


# --- What agents hold ----------------------------------------------------------------------------


@_inline
def change_held(t, s, x, b, i, resource, units):
    """Give (or take) units of a resource, and count what that is worth to the agent."""
    before = s.held[b, i]
    s.inventory[b, i, resource] += units
    x.earned[i] += units * t.value[i, resource]
    bit = np.int64(1) << resource
    s.held[b, i] = before | bit if s.inventory[b, i, resource] else before & ~bit
    if (before ^ s.held[b, i]) & t.tools:
        update_sight(t, s, b, i)


@_jit
def update_sight(t, s, b, i):
    """Work out which bytes of a row of its window an agent sees, by its sight and tools."""
    held, side = s.held[b, i], 2 * t.pad + 1
    for column in range(side):
        is_near = abs(column - t.pad) <= t.sight[i]
        for channel in range(t.channels):
            is_seen = is_near
            if 1 <= channel <= t.resources:
                is_seen = is_near and has(held, t.collect[channel - 1])
            elif t.resources < channel < t.channels - 2:
                is_seen = is_near and has(held, t.operate[channel - 1 - t.resources])
            s.sees[b, i, column * t.channels + channel] = 255 if is_seen else 0


@_inline
def has(held, needed):
    """Whether a set of resources has all of another."""
    return held & needed == needed


@_inline
def can_pick(t, s, b, i, resource):
    """Whether an agent may take a unit from where it stands."""
    px, py = s.position[b, i, 0], s.position[b, i, 1]
    has_room = s.inventory[b, i, resource] < t.capacity[i, resource]
    is_there = look(t, s, b, px, py, 1 + resource) > 0
    return is_there and has_room and has(s.held[b, i], t.collect[resource])


@_inline
def can_dump(t, s, b, i, resource):
    """Whether an agent may lay down a unit where it stands."""
    px, py = s.position[b, i, 0], s.position[b, i, 1]
    return s.inventory[b, i, resource] > 0 and look(t, s, b, px, py, 1 + resource) < MAX_UNITS


@_inline
def can_produce(t, s, b, i):
    """The event that an agent may do where it stands; -1: none."""
    event = event_at(t, s, b, s.position[b, i, 0], s.position[b, i, 1])
    if event < 0 or not has(s.held[b, i], t.operate[event]):
        return -1
    for resource in range(t.resources):
        if s.inventory[b, i, resource] < t.inputs[event, resource]:
            return -1
    output = t.output[event]
    left = s.inventory[b, i, output] - t.inputs[event, output]
    return event if left + 1 <= t.capacity[i, output] else -1


@_inline
def act(t, s, x, b, i, action):
    """Do what is no move; what is not legal has no effect."""
    a = t.actions
    if action == PRODUCE:
        event = can_produce(t, s, b, i)
        if event >= 0:
            for resource in range(t.resources):
                if t.inputs[event, resource]:
                    change_held(t, s, x, b, i, resource, -t.inputs[event, resource])
            change_held(t, s, x, b, i, t.output[event], 1)
            s.executed[b, event] += 1
    elif FIRST_PICK <= action < a.message:
        transfer(t, s, x, b, i, action)
    elif action < a.join:
        if action < a.share:
            if action - a.message != i:
                s.sent[b, i] = action - a.message
        elif action - a.share != i:
            s.shares[b, i, action - a.share] ^= 1
    elif action < a.request:
        join(s, b, i, action - a.join)


@_inline
def transfer(t, s, x, b, i, action):
    """Pick a unit up or lay it down."""
    px, py = s.position[b, i, 0], s.position[b, i, 1]
    is_pick = action < t.actions.dump
    resource = action - (t.actions.pick if is_pick else t.actions.dump)
    if is_pick and can_pick(t, s, b, i, resource):
        lying = look(t, s, b, px, py, 1 + resource)
        put(t, s, b, px, py, 1 + resource, lying - 1)
        change_held(t, s, x, b, i, resource, 1)
    elif not is_pick and can_dump(t, s, b, i, resource):
        lying = look(t, s, b, px, py, 1 + resource)
        put(t, s, b, px, py, 1 + resource, lying + 1)
        change_held(t, s, x, b, i, resource, -1)


@_jit
def join(s, b, i, group):
    """Leave all groups and join one, with weight 1."""
    for k in range(MAX_GROUPS):
        s.group[b, i, k] = -1
        s.weight[b, i, k] = 0.0
    s.group[b, i, 0] = group
    s.weight[b, i, 0] = 1.0


# --- Moves ---------------------------------------------------------------------------------------


@_inline
def neighbour(t, px, py, direction):
    """The cell next to one, on the torus."""
    if direction == 0:
        px = px - 1 if px > 0 else t.height - 1
    elif direction == 1:
        px = px + 1 if px < t.height - 1 else 0
    elif direction == 2:
        py = py - 1 if py > 0 else t.width - 1
    else:
        py = py + 1 if py < t.width - 1 else 0
    return px, py


@_inline
def move_all(t, s, x, b, actions):
    """All moves at once: of those who want a cell one is drawn, who is blocked stays.

    Following into a cell that is left and swapping places are moves like any other.
    """
    for i in range(t.agents):
        x.fate[i] = STAYS
        x.target[i] = -1
        if actions[i] < 0 or actions[i] >= MOVES:
            continue
        px, py = neighbour(t, s.position[b, i, 0], s.position[b, i, 1], actions[i])
        if look(t, s, b, px, py, 0):
            continue
        cell = px * t.width + py
        x.target[i] = cell
        rival = x.wanted[cell]
        if rival and wins(s, b, rival - 1, i):
            continue
        if rival:
            x.fate[rival - 1] = STAYS
        x.wanted[cell] = i + 1
        x.fate[i] = UNKNOWN
    for i in range(t.agents):
        if x.fate[i] == UNKNOWN:
            decide(t, s, x, b, i)
    for i in range(t.agents):  # first all leave, then all arrive
        if x.fate[i] == GOES:
            set_agent(t, s, b, s.position[b, i, 0], s.position[b, i, 1], 0)
    for i in range(t.agents):
        if x.target[i] >= 0:
            x.wanted[x.target[i]] = 0
        if x.fate[i] == GOES:
            px, py = x.target[i] // t.width, x.target[i] % t.width
            s.position[b, i, 0], s.position[b, i, 1] = px, py
            set_agent(t, s, b, px, py, i + 1)


@_inline
def wins(s, b, one, other):
    """Whether the first of two who want a cell gets it; each of several is as likely."""
    key, step = s.key[b], s.step[b]
    return draw(key, step, MOVERS, one) < draw(key, step, MOVERS, other)


@_inline
def decide(t, s, x, b, first):
    """Follow who stands where an agent wants to go, to see whether all of them can."""
    at = first
    while True:
        x.fate[at] = LOOKING
        ahead = s.occupant[b, x.target[at] // t.width, x.target[at] % t.width] - 1
        if ahead < 0 or x.fate[ahead] != UNKNOWN:
            break
        at = ahead
    # A free cell, one that is being left, or a ring that turns: all go. Else all stay.
    fate = GOES if ahead < 0 or x.fate[ahead] != STAYS else STAYS
    at = first
    while at >= 0 and x.fate[at] == LOOKING:
        x.fate[at] = fate
        at = s.occupant[b, x.target[at] // t.width, x.target[at] % t.width] - 1


# --- Stages before play --------------------------------------------------------------------------


@_jit
def choose_group(t, s, b, actions):
    """The contract stage: whose turn it is joins a group; nobody can abstain."""
    chooser = s.order[b, s.step[b] % t.agents]
    group = actions[chooser] - t.actions.join
    if group < 0 or group >= t.groups:
        group = below(draw(s.key[b], s.step[b], PARITY, chooser), t.groups)
    join(s, b, chooser, group)


@_jit
def negotiate(t, s, b, actions):
    """The negotiation stage: pairs bargain in turns, those who request each other are matched."""
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


@_jit
def bargain(t, s, b, mover, other, action):
    """One turn of two who bargain; an offer is what its proposer keeps, in tenths."""
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


@_jit
def part(s, b, i):
    """End an agent's bargaining."""
    s.bargain[b, i, PARTNER] = -1
    s.bargain[b, i, MOVES_NEXT] = 0
    s.bargain[b, i, OFFER] = 0


@_jit
def merge(t, s, b, one, other, share):
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
        s.bargain[b, i, REQUESTED] = -2  # marks a member of the new group
    for i in range(t.agents):
        if s.bargain[b, i, REQUESTED] == -2:
            s.bargain[b, i, REQUESTED] = -1
            s.group[b, i, 0] = into


# --- Rewards -------------------------------------------------------------------------------------


@_inline
def share_rewards(t, s, x, b, rewards):
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
    for i in range(t.agents):
        for k in range(MAX_GROUPS):
            g = s.group[b, i, k]
            if g < 0:
                break
            rewards[i] += x.pot[g] * s.weight[b, i, k] / x.weights[g]
        s.score[b, i] += rewards[i]


# --- Step and observe ----------------------------------------------------------------------------


@_jit
def step_env(t, s, x, b, actions, rewards):
    """One step; true where the episode ends with it."""
    for i in range(t.agents):
        x.earned[i] = 0.0
        s.sent[b, i] = -1
    if s.step[b] < t.contract_steps:
        choose_group(t, s, b, actions)
    elif s.step[b] < t.negotiation_steps:
        negotiate(t, s, b, actions)
    else:
        number = 0
        for i in range(t.agents):
            if actions[i] >= PRODUCE and actions[i] < t.actions.count:
                x.actors[number] = i
                number += 1
        for k in range(number - 1, -1, -1):  # in a random order, one after another
            other = below(draw(s.key[b], s.step[b], ACTORS, k), k + 1)
            x.actors[k], x.actors[other] = x.actors[other], x.actors[k]
            act(t, s, x, b, x.actors[k], actions[x.actors[k]])
        move_all(t, s, x, b, actions)
    share_rewards(t, s, x, b, rewards)
    s.step[b] += 1
    change_structure(t, s, b)
    return s.step[b] >= t.length


@_inline
def observe_env(t, s, b, window):
    """Fill ``window`` (N, 2 pad + 1, (2 pad + 1) C) with what each agent sees around itself."""
    side, row = 2 * t.pad + 1, (2 * t.pad + 1) * t.channels
    for i in range(t.agents):
        left = s.position[b, i, 1] * t.channels
        seen = s.sees[b, i]
        skip = t.pad - t.sight[i]
        for k in range(side):
            out = window[i, k]
            if k < skip or k >= side - skip:
                out[:] = 0
                continue
            source = s.plane[b, s.position[b, i, 0] + k, left : left + row]
            for byte in range(row):
                out[byte] = source[byte] & seen[byte]


@_jit
def step_many(t, s, x, low, high, actions, rewards, ended, window):
    """Step environments ``low`` to below ``high``; one that had ended begins anew instead.

    ``window`` may have no environments at all: then nothing is observed.
    """
    for b in range(low, high):
        if ended[b]:
            reset_env(t, s, x, b)
            rewards[b] = 0.0
            ended[b] = False
        else:
            ended[b] = step_env(t, s, x, b, actions[b], rewards[b])
        if len(window):
            observe_env(t, s, b, window[b])


@_jit
def reset_many(t, s, x, low, high, ended, window):
    """Begin an episode in environments ``low`` to below ``high``."""
    for b in range(low, high):
        reset_env(t, s, x, b)
        ended[b] = False
        if len(window):
            observe_env(t, s, b, window[b])


# --- Masks ---------------------------------------------------------------------------------------


@_jit
def mask_env(t, s, b, mask):
    """Fill ``mask`` (N, actions) with 1 where an action would have an effect; to stay always may."""
    a, step = t.actions, s.step[b]
    for i in range(t.agents):
        mask[i] = 0
        mask[i, STAY] = 1
        if step < t.contract_steps:
            if s.order[b, step % t.agents] == i:
                mask[i, STAY] = 0
                mask[i, a.join : a.join + t.groups] = 1
        elif step < t.negotiation_steps:
            mask_bargain(t, s, b, i, mask[i])
        else:
            mask_play(t, s, b, i, mask[i])


@_jit
def mask_bargain(t, s, b, i, mask):
    """What an agent can do in the negotiation stage."""
    a = t.actions
    if s.bargain[b, i, PARTNER] < 0:
        for j in range(t.agents):
            mask[a.request + j] = j != i and s.bargain[b, j, PARTNER] < 0
    elif s.bargain[b, i, MOVES_NEXT]:
        mask[a.propose : a.propose + SPLITS] = 1
        mask[a.accept] = s.bargain[b, i, OFFER] > 0
        mask[a.end] = 1


@_jit
def mask_play(t, s, b, i, mask):
    """What an agent can do in play; a move may still be blocked by another agent."""
    a = t.actions
    for direction in range(MOVES):
        px, py = neighbour(t, s.position[b, i, 0], s.position[b, i, 1], direction)
        mask[direction] = look(t, s, b, px, py, 0) == 0
    mask[PRODUCE] = can_produce(t, s, b, i) >= 0
    for resource in range(t.resources):
        mask[a.pick + resource] = can_pick(t, s, b, i, resource)
        mask[a.dump + resource] = can_dump(t, s, b, i, resource)
    mask[a.message : a.join] = 1
    if a.message < a.share:
        mask[a.message + i] = 0
    if a.share < a.join:
        mask[a.share + i] = 0
    if t.contract_steps == 0:
        mask[a.join : a.request] = 1
        if s.group[b, i, 0] >= 0 and s.group[b, i, 1] < 0 and a.join < a.request:
            mask[a.join + s.group[b, i, 0]] = 0


@_jit
def mask_many(t, s, low, high, mask):
    """Masks of environments ``low`` to below ``high``."""
    for b in range(low, high):
        mask_env(t, s, b, mask[b])


# --- The whole map, as far as it is seen ---------------------------------------------------------


@_jit
def map_many(t, s, low, high, window, maps):
    """Fill ``maps`` (B, N, H, W C) with what each agent and those who share with it see."""
    for b in range(low, high):
        for i in range(t.agents):
            maps[b, i] = 0
            uncover(t, s, b, i, window[b, i], maps[b, i])
            for j in range(len(s.shares[b])):
                if s.shares[b, j, i]:
                    uncover(t, s, b, j, window[b, j], maps[b, i])


@_jit
def uncover(t, s, b, i, window, canvas):
    """Lay an agent's window onto a map; what others saw there stays."""
    side, channels = 2 * t.pad + 1, t.channels
    for k in range(side):
        x = (s.position[b, i, 0] + k - t.pad) % t.height
        for q in range(side):
            y = (s.position[b, i, 1] + q - t.pad) % t.width
            for c in range(channels):
                canvas[x, y * channels + c] |= window[k, q * channels + c]
