"""An agent's situation and the social state of a grid game, as values.

Source: Huang et al. (2024): everybody sees the whole social graph, and the paper's prompts list it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from voxpolis.bots.agents.planner.plans import Plan
from voxpolis.grid.adasociety.game import Rules
from voxpolis.grid.adasociety.state import MOVES_NEXT, OFFER, PARTNER, REQUESTED, State
from voxpolis.grid.adasociety.tables import SPLITS, UNLIMITED, Names, Tables
from voxpolis.worlds.adasociety.belief_map import BeliefMap, Cell
from voxpolis.worlds.adasociety.execution import PlanExecution


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


# --- An agent's situation on the grid as a value: prompts are rendered from it, scripts read it ---


@dataclass(frozen=True)
class Good:
    """A resource: what one unit is worth to the agent, and what it needs to collect it.

    ``requires`` must all be held to see and collect it, one of ``tools`` to collect what it sees.
    """

    worth: float
    requires: Sequence[str]
    tools: Sequence[str]


@dataclass(frozen=True)
class Recipe:
    """What a station does for who holds all of ``requires``: ``inputs`` become one ``output``."""

    station: str
    output: str
    inputs: Mapping[str, int]
    requires: Sequence[str]


@dataclass(frozen=True)
class Sighting:
    """Where things of a kind are, as far as known: units, cells, the nearest and how far it is."""

    units: int
    places: int
    nearest: Cell
    steps: int


@dataclass(frozen=True)
class Surroundings:
    """What an agent knows of the map.

    Attributes:
        chests: where they stand.
        lying: resources that lie about.
        stations: events whose stations were seen.
        others: agents in sight now, by number; ``away``: how many steps they are away.
        unseen: how many cells were never seen.
    """

    chests: Sequence[Cell]
    lying: Mapping[str, Sighting]
    stations: Mapping[str, Sighting]
    others: Mapping[int, Cell]
    unseen: int
    away: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Play:
    """What can be answered now: any plan of play, and these social actions besides."""

    social: tuple[str, ...] = ()


@dataclass(frozen=True)
class ChooseGroup:
    """It is the agent's turn to join one of so many groups."""

    groups: int


@dataclass(frozen=True)
class FindPartner:
    """The agent may ask another to bargain."""


@dataclass(frozen=True)
class Bargain:
    """The agent's turn in a bargain; ``offer``: tenths that the partner would keep; 0: none yet."""

    partner: int
    offer: int


Choice = Play | ChooseGroup | FindPartner | Bargain


@dataclass(frozen=True)
class PlanSituation:
    """All that a planner is asked about.

    Attributes:
        number: the agent's; ``agents``: how many there are.
        job: its job.
        size: the map's rows and columns.
        sight: how many cells it sees each way.
        goods: the game's resources.
        recipes: what its stations do.
        room: how many units it can hold of what is limited.
        step: the game's, of ``length``.
        place: where it stands.
        held: resource → units.
        groups: the groups that it is in, with its weight in each.
        around: what it knows of the map.
        last: its last plan, and ``outcome``: how that went.
        has_chests: whether things are laid down in chests and nowhere else.
        choice: what it can answer now.
        society: the social state that everybody sees.
        play: what it can answer while the game is played.
    """

    number: int
    agents: int
    job: str
    size: Cell
    sight: int
    goods: Mapping[str, Good]
    recipes: Sequence[Recipe]
    room: Mapping[str, int]
    step: int
    length: int
    place: Cell
    held: Mapping[str, int]
    groups: Mapping[int, float]
    around: Surroundings
    last: Plan | None
    outcome: str
    has_chests: bool
    choice: Choice
    society: Society
    play: Play


def situation_of(
    know: BeliefMap,
    rules: Rules,
    observed: Mapping[str, npt.NDArray[np.generic]],
    mask: npt.NDArray[np.uint8],
    last: PlanExecution | None,
    society: Society,
) -> PlanSituation:
    """Return an agent's situation.

    Args:
        know: what the agent knows.
        rules: of the game.
        observed: the agent's own rows: ``group`` (4,), ``weight`` (4,) and, in games with
            negotiation, ``bargain`` (4,).
        mask: (A,), 1 where an action has an effect now.
        last: the plan before, if there was one.
        society: the social state.
    """
    t = know.tables
    pairs = zip(observed["group"].tolist(), observed["weight"].tolist(), strict=True)
    return PlanSituation(
        number=know.agent,
        agents=t.agents,
        job=know.job,
        size=know.size,
        sight=int(t.sight[know.agent]),
        goods={name: _good(rules, know.job, name) for name in know.names.resources},
        recipes=[_recipe(rules, name) for name in know.names.events],
        room=know.capacity,
        step=know.step,
        length=t.length,
        place=know.called(know.position),
        held=dict(know.held),
        groups={group: weight for group, weight in pairs if group >= 0},
        around=surroundings(know),
        last=last.plan if last else None,
        outcome=last.outcome if last else "",
        has_chests=len(t.chest_cells) > 0,
        choice=_choice(know, observed.get("bargain"), mask),
        society=society,
        play=_play(know.tables),
    )


def surroundings(know: BeliefMap) -> Surroundings:
    """Return what an agent knows of the map."""
    lying = {name: know.units(name) for name in know.names.resources}
    stations = {name: know.stations(name) for name in know.names.events}
    return Surroundings(
        chests=[know.called(cell) for cell in know.chests()],
        lying={
            name: _sighting(know, list(units), sum(units.values()))
            for name, units in lying.items()
            if units
        },
        stations={n: _sighting(know, cells, len(cells)) for n, cells in stations.items() if cells},
        others={agent: know.called(cell) for cell, agent in know.others().items()},
        unseen=int((know.seen_at < 0).sum()),
        away={agent: know.distance(know.position, at) for at, agent in know.others().items()},
    )


def _sighting(know: BeliefMap, cells: list[Cell], units: int) -> Sighting:
    nearest = know.nearest(cells)
    assert nearest is not None
    away = know.distance(know.position, nearest)
    return Sighting(units, len(cells), know.called(nearest), away)


def _good(rules: Rules, job: str, name: str) -> Good:
    resource = rules.resources[name]
    return Good(rules.score(job, {name: 1}), resource.requires, resource.tools)


def _recipe(rules: Rules, name: str) -> Recipe:
    event = rules.events[name]
    return Recipe(name, event.output, event.inputs, event.requires)


def _choice(
    know: BeliefMap, bargain: npt.NDArray[np.generic] | None, mask: npt.NDArray[np.uint8]
) -> Choice:
    t, a = know.tables, know.tables.actions
    if know.step < t.contract_steps:
        return ChooseGroup(t.groups)
    if know.step >= t.negotiation_steps or bargain is None:
        return _play(t)
    if not mask[a.propose : a.propose + SPLITS].any():
        return FindPartner()
    partner, _, offer, _ = bargain.tolist()
    return Bargain(partner, offer)


def _play(t: Tables) -> Play:
    """Return what can be answered while the game is played."""
    a = t.actions
    sizes = {"message": a.share - a.message, "share": a.join - a.share}
    sizes["join"] = 0 if t.contract_steps else a.request - a.join
    return Play(tuple(name for name, size in sizes.items() if size))
