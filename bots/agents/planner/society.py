"""The social state of a grid game as a value: jobs, players, groups, shares and bargains.

Source: Huang et al. (2024): everybody sees the whole social graph, and the paper's prompts list it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from voxpolis.grid.adasociety.game import Rules
from voxpolis.grid.adasociety.state import MOVES_NEXT, OFFER, PARTNER, REQUESTED, State
from voxpolis.grid.adasociety.tables import SPLITS, UNLIMITED, Names, Tables


@dataclass(frozen=True)
class JobView:
    """What players of a job can do.

    Attributes:
        worth: of one unit of each resource, to such a player.
        room: how many units of what is limited it can hold; 0: none.
        makes: the resources that it has room to make: for what it takes, and for what comes out.
    """

    worth: Mapping[str, float]
    room: Mapping[str, int]
    makes: Sequence[str]


@dataclass(frozen=True)
class Said:
    """A turn of a bargain that was under way: at which step which player did what to which."""

    step: int
    player: int
    partner: int
    deed: str


@dataclass(frozen=True)
class Society:
    """The social state that everybody sees; players, groups and unions are numbers.

    Attributes:
        names: the players' names.
        job_of: each player's job.
        jobs: what players of each job can do.
        groups: group → member → weight.
        unions: union → group → weight.
        shows: player → those whom it shares what it sees with.
        messages: (sender, receiver) of the last step.
        order: the contract stage's order of turns; empty: there is no such stage now.
        turn: whose turn it is there; ``rounds``: of it, and ``round`` from 1.
        bargains: pairs that bargain now, the one whose turn it is first.
        requests: player → the one that it asked to bargain in the last step.
        said: the turns of bargains so far, the oldest first.
        left: steps that are left of the negotiation stage, this one included.
    """

    names: Sequence[str]
    job_of: Sequence[str]
    jobs: Mapping[str, JobView]
    groups: Mapping[int, Mapping[int, float]] = field(default_factory=dict)
    unions: Mapping[int, Mapping[int, float]] = field(default_factory=dict)
    shows: Mapping[int, Sequence[int]] = field(default_factory=dict)
    messages: Sequence[tuple[int, int]] = ()
    order: Sequence[int] = ()
    turn: int = -1
    round: int = 0
    rounds: int = 0
    bargains: Sequence[tuple[int, int]] = ()
    requests: Mapping[int, int] = field(default_factory=dict)
    said: Sequence[Said] = ()
    left: int = 0


def job_views(tables: Tables, names: Names, rules: Rules) -> dict[str, JobView]:
    """Return what players of each of a game's jobs can do."""
    views = {}
    for number, job in enumerate(names.jobs):
        first = int(np.flatnonzero(tables.job == number)[0])
        limits = zip(names.resources, tables.capacity[first].tolist(), strict=True)
        room = {name: most for name, most in limits if most < UNLIMITED}
        worth = {name: rules.score(job, {name: 1}) for name in names.resources}
        made = [rules.events[name] for name in names.events]
        makes = [
            event.output
            for event in made
            if all(
                room.get(part, units) >= units
                for part, units in {**event.inputs, event.output: 1}.items()
            )
        ]
        views[job] = JobView(worth, room, makes)
    return views


def society_of(
    tables: Tables,
    names: Names,
    jobs: Mapping[str, JobView],
    state: State,
    said: Sequence[Said] = (),
    environment: int = 0,
) -> Society:
    """Return the social state of an environment as it stands.

    Args:
        tables: the game.
        names: what its numbers mean.
        jobs: see :func:`job_views`.
        state: of the batch.
        said: what was said in bargains before (:func:`turns_of`).
        environment: which one.
    """
    b, step = environment, int(state.step[environment])
    groups: dict[int, dict[int, float]] = {}
    for i, k in np.argwhere(state.group[b] >= 0).tolist():
        members = groups.setdefault(int(state.group[b, i, k]), {})
        members[i] = float(state.weight[b, i, k])
    unions: dict[int, dict[int, float]] = {}
    for g in np.flatnonzero(state.union[b] >= 0).tolist():
        parts = unions.setdefault(int(state.union[b, g]), {})
        parts[g] = float(state.union_weight[b, g])
    shows: dict[int, list[int]] = {}
    for i, j in np.argwhere(state.shares[b]).tolist():
        shows.setdefault(i, []).append(j)
    chooses = step < tables.contract_steps
    bargain = state.bargain[b]
    movers = np.flatnonzero((bargain[:, PARTNER] >= 0) & (bargain[:, MOVES_NEXT] > 0)).tolist()
    return Society(
        names.agents,
        [names.jobs[int(job)] for job in tables.job],
        jobs,
        dict(sorted(groups.items())),
        unions,
        shows,
        [(i, int(to)) for i, to in enumerate(state.sent[b]) if to >= 0],
        order=state.order[b].tolist() if chooses else (),
        turn=int(state.order[b, step % tables.agents]) if chooses else -1,
        round=step // tables.agents + 1 if chooses else 0,
        rounds=tables.contract_steps // tables.agents,
        bargains=[(i, int(bargain[i, PARTNER])) for i in movers],
        requests={i: int(row[REQUESTED]) for i, row in enumerate(bargain) if row[REQUESTED] >= 0},
        said=said,
        left=max(tables.negotiation_steps - step, 0),
    )


def turns_of(tables: Tables, state: State, actions: Sequence[int]) -> list[Said]:
    """Return what is said in bargains by the actions of a step that is about to be taken."""
    a, bargain, step = tables.actions, state.bargain[0], int(state.step[0])
    if step >= tables.negotiation_steps:
        return []
    said = []
    for i, action in enumerate(actions):
        partner = int(bargain[i, PARTNER])
        if partner < 0 or not bargain[i, MOVES_NEXT]:
            continue
        if a.propose <= action < a.propose + SPLITS:
            deed = f"offers to keep 0.{action - a.propose + 1}"
        elif action == a.accept and bargain[i, OFFER]:
            deed = "accepts"
        else:
            deed = "ends" if action == a.end else "says nothing"
        said.append(Said(step, i, partner, deed))
    return said
