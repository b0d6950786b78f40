"""An agent's situation and the social state of a grid game, as values.

Source: Huang et al. (2024): all agents see the whole social graph, and the paper's prompts list it.
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
    """Abilities of the players with a job.

    Attributes:
        worth: value of one unit of each resource.
        room: capacity for limited resources, in units; 0 for none.
        makes: resources that the job has the capacity to make: it can hold their inputs and output.
    """

    worth: Mapping[str, float]
    room: Mapping[str, int]
    makes: Sequence[str]


@dataclass(frozen=True)
class BargainTurn:
    """A turn in a bargain: step, player, act and partner."""

    step: int
    player: int
    partner: int
    deed: str


@dataclass(frozen=True)
class Words:
    """The words of a message: step, sender, receiver and text."""

    step: int
    sender: int
    receiver: int
    text: str


@dataclass(frozen=True)
class Society:
    """The social state, visible to all but for ``words``; players, groups and unions are numbers.

    Attributes:
        names: names of the players.
        job_of: each player's job.
        jobs: abilities of each job.
        groups: group → member → weight.
        unions: union → group → weight.
        shows: player → players with whom it shares its observation.
        messages: (sender, receiver) pairs of the last step.
        words: messages with words so far, oldest first; only sender and receiver know the text.
        order: turn order of the contract stage; empty outside it.
        turn: the player whose turn it is; ``rounds``: number of rounds, and ``round``: counted from
            1.
        bargains: pairs that are bargaining; the player that moves first comes first.
        requests: player → player that it asked to bargain in the last step.
        said: bargaining turns so far, oldest first.
        left: remaining steps of the negotiation stage, including this one.
    """

    names: Sequence[str]
    job_of: Sequence[str]
    jobs: Mapping[str, JobView]
    groups: Mapping[int, Mapping[int, float]] = field(default_factory=dict)
    unions: Mapping[int, Mapping[int, float]] = field(default_factory=dict)
    shows: Mapping[int, Sequence[int]] = field(default_factory=dict)
    messages: Sequence[tuple[int, int]] = ()
    words: Sequence[Words] = ()
    order: Sequence[int] = ()
    turn: int = -1
    round: int = 0
    rounds: int = 0
    bargains: Sequence[tuple[int, int]] = ()
    requests: Mapping[int, int] = field(default_factory=dict)
    said: Sequence[BargainTurn] = ()
    left: int = 0


def job_views(tables: Tables, names: Names, rules: Rules) -> dict[str, JobView]:
    """Return the abilities of each job in a game."""
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
    bargain_turns: Sequence[BargainTurn] = (),
    environment: int = 0,
    words: Sequence[Words] = (),
) -> Society:
    """Return the social state of an environment.

    Args:
        tables: the game.
        names: meaning of its numbers.
        jobs: see :func:`job_views`.
        state: state of the batch.
        bargain_turns: earlier turns of bargains (:func:`turns_of`).
        environment: index in the batch.
        words: earlier messages with words.
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
        words,
        order=state.order[b].tolist() if chooses else (),
        turn=int(state.order[b, step % tables.agents]) if chooses else -1,
        round=step // tables.agents + 1 if chooses else 0,
        rounds=tables.contract_steps // tables.agents,
        bargains=[(i, int(bargain[i, PARTNER])) for i in movers],
        requests={i: int(row[REQUESTED]) for i, row in enumerate(bargain) if row[REQUESTED] >= 0},
        said=bargain_turns,
        left=max(tables.negotiation_steps - step, 0),
    )


def turns_of(tables: Tables, state: State, actions: Sequence[int]) -> list[BargainTurn]:
    """Return the bargaining turns that the actions of the coming step contain."""
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
        said.append(BargainTurn(step, i, partner, deed))
    return said


# --- An agent's situation, from which prompts are rendered; scripted minds read it directly
# ----------


@dataclass(frozen=True)
class Good:
    """A resource: value of a unit to the agent, and requirements to collect it.

    The agent must hold all of ``requires`` to see and collect it, and one of ``tools`` to collect
    it.
    """

    worth: float
    requires: Sequence[str]
    tools: Sequence[str]


@dataclass(frozen=True)
class Recipe:
    """A station's recipe for agents that hold all of ``requires``: ``inputs`` become one
    ``output``.
    """

    station: str
    output: str
    inputs: Mapping[str, int]
    requires: Sequence[str]


@dataclass(frozen=True)
class Sighting:
    """Knowledge about a kind of thing: units, cells, the nearest cell and its distance."""

    units: int
    places: int
    nearest: Cell
    steps: int


@dataclass(frozen=True)
class Surroundings:
    """An agent's knowledge of the map.

    Attributes:
        chests: positions of chests.
        lying: resources on the map.
        stations: events with known stations.
        others: visible agents by number; ``away``: their distances in steps.
        unseen: number of cells never seen.
    """

    chests: Sequence[Cell]
    lying: Mapping[str, Sighting]
    stations: Mapping[str, Sighting]
    others: Mapping[int, Cell]
    unseen: int
    away: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Play:
    """Answers that are possible during play: any plan, and these social actions."""

    social: tuple[str, ...] = ()


@dataclass(frozen=True)
class ChooseGroup:
    """The agent may now join one of this many groups."""

    groups: int


@dataclass(frozen=True)
class FindPartner:
    """The agent may ask another agent to bargain."""


@dataclass(frozen=True)
class Bargain:
    """The agent's turn in a bargain.

    ``offer``: tenths that the partner would keep, or 0 without an offer.
    """

    partner: int
    offer: int


Choice = Play | ChooseGroup | FindPartner | Bargain


@dataclass(frozen=True)
class PlanSituation:
    """Everything that a planner's question depends on.

    Attributes:
        number: index of the agent; ``agents``: count of agents.
        job: its job.
        size: rows and columns of the map.
        sight: view radius in cells.
        goods: resources of the game.
        recipes: recipes of its stations.
        room: capacity for limited resources, in units.
        step: current step, of ``length``.
        place: its position.
        held: resource → units.
        groups: its groups, with its weight in each.
        around: its knowledge of the map.
        last: its last plan, and ``outcome``: the result of that plan.
        has_chests: whether items can only be dropped in chests.
        choice: the answers it can give now.
        society: the social state.
        play: the answers it can give during play.
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
    knowledge: BeliefMap,
    rules: Rules,
    observed: Mapping[str, npt.NDArray[np.generic]],
    mask: npt.NDArray[np.uint8],
    last: PlanExecution | None,
    society: Society,
) -> PlanSituation:
    """Return an agent's situation.

    Args:
        knowledge: its knowledge of the map.
        rules: rules of the game.
        observed: the agent's rows: ``group`` (4,), ``weight`` (4,) and, in games with negotiation,
            ``bargain`` (4,).
        mask: (A,), 1 for actions that currently have an effect.
        last: its previous plan, if any.
        society: the social state.
    """
    t = knowledge.tables
    pairs = zip(observed["group"].tolist(), observed["weight"].tolist(), strict=True)
    return PlanSituation(
        number=knowledge.agent,
        agents=t.agents,
        job=knowledge.job,
        size=knowledge.size,
        sight=int(t.sight[knowledge.agent]),
        goods={name: _good(rules, knowledge.job, name) for name in knowledge.names.resources},
        recipes=[_recipe(rules, name) for name in knowledge.names.events],
        room=knowledge.capacity,
        step=knowledge.step,
        length=t.length,
        place=knowledge.called(knowledge.position),
        held=dict(knowledge.held),
        groups={group: weight for group, weight in pairs if group >= 0},
        around=surroundings(knowledge),
        last=last.plan if last else None,
        outcome=last.outcome if last else "",
        has_chests=len(t.chest_cells) > 0,
        choice=_choice(knowledge, observed.get("bargain"), mask),
        society=society,
        play=_play(knowledge.tables),
    )


def surroundings(knowledge: BeliefMap) -> Surroundings:
    """Return an agent's knowledge of the map."""
    lying = {name: knowledge.units(name) for name in knowledge.names.resources}
    stations = {name: knowledge.stations(name) for name in knowledge.names.events}
    return Surroundings(
        chests=[knowledge.called(cell) for cell in knowledge.chests()],
        lying={
            name: _sighting(knowledge, list(units), sum(units.values()))
            for name, units in lying.items()
            if units
        },
        stations={
            n: _sighting(knowledge, cells, len(cells)) for n, cells in stations.items() if cells
        },
        others={agent: knowledge.called(cell) for cell, agent in knowledge.others().items()},
        unseen=int((knowledge.seen_at < 0).sum()),
        away={
            agent: knowledge.distance(knowledge.position, at)
            for at, agent in knowledge.others().items()
        },
    )


def _sighting(knowledge: BeliefMap, cells: list[Cell], units: int) -> Sighting:
    nearest = knowledge.nearest(cells)
    assert nearest is not None
    away = knowledge.distance(knowledge.position, nearest)
    return Sighting(units, len(cells), knowledge.called(nearest), away)


def _good(rules: Rules, job: str, name: str) -> Good:
    resource = rules.resources[name]
    return Good(rules.score(job, {name: 1}), resource.requires, resource.tools)


def _recipe(rules: Rules, name: str) -> Recipe:
    event = rules.events[name]
    return Recipe(name, event.output, event.inputs, event.requires)


def _choice(
    knowledge: BeliefMap, bargain: npt.NDArray[np.generic] | None, mask: npt.NDArray[np.uint8]
) -> Choice:
    t, a = knowledge.tables, knowledge.tables.actions
    if knowledge.step < t.contract_steps:
        return ChooseGroup(t.groups)
    if knowledge.step >= t.negotiation_steps or bargain is None:
        return _play(t)
    if not mask[a.propose : a.propose + SPLITS].any():
        return FindPartner()
    partner, _, offer, _ = bargain.tolist()
    return Bargain(partner, offer)


def _play(t: Tables) -> Play:
    a = t.actions
    sizes = {"message": a.share - a.message, "share": a.join - a.share}
    sizes["join"] = 0 if t.contract_steps else a.request - a.join
    return Play(tuple(name for name, size in sizes.items() if size))
