"""The situation of an agent and the social state of a grid game, as data for prompts and scripts.

As in Huang et al. (2024), every agent sees the whole social graph, and the prompts list it.
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
    """The abilities of the players with a certain job.

    Attributes:
        worth: the value of one unit of each resource.
        room: the capacity for each limited resource, in units; 0 if players with the job cannot
            hold it.
        makes: the resources that players can make because they can hold the inputs and the output.
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
    """A message with words: its step, sender, receiver and text."""

    step: int
    sender: int
    receiver: int
    text: str


@dataclass(frozen=True)
class Society:
    """The social state. Every agent sees all of it except the texts of messages to others. Players,
    groups and unions are identified by numbers.

    Attributes:
        names: names of the players.
        job_of: each player's job.
        jobs: the abilities that come with each job.
        groups: group → member → weight of the member.
        unions: union → group → weight of the group.
        shows: player → the players with whom it shares its observation.
        messages: (sender, receiver) of each message in the last step.
        words: the messages with words so far, oldest first.
        order: the order in which players take turns in the contract stage; empty in other stages.
        turn: the player whose turn it is.
        rounds: number of rounds of turns; ``round`` is the current round, starting at 1.
        bargains: pairs of players that are bargaining. The player that moves first comes first.
        requests: player → the player that it asked to bargain in the last step.
        said: all bargaining turns so far, oldest first.
        left: number of remaining steps of the negotiation stage, including the current step.
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
    """Return the social state of one environment.

    Args:
        tables: the rules of the game as arrays.
        names: the names that belong to the numbers in ``tables``.
        jobs: the abilities of each job, from :func:`job_views`.
        state: the state of the whole batch.
        bargain_turns: earlier bargaining turns, from :func:`turns_of`.
        environment: index of the environment in the batch.
        words: the earlier messages with words.
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
    """Return the bargaining turns among the actions that will be applied in the next step."""
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
    """A resource as one agent sees it: the value of a unit, and what the agent needs to collect it.

    The agent must hold all of ``requires`` to see and collect the resource. It must also hold one
    of ``tools`` to collect it.
    """

    worth: float
    requires: Sequence[str]
    tools: Sequence[str]


@dataclass(frozen=True)
class Recipe:
    """The recipe of a station: the ``inputs`` become one ``output``, if the agent holds all of
    ``requires``.
    """

    station: str
    output: str
    inputs: Mapping[str, int]
    requires: Sequence[str]


@dataclass(frozen=True)
class Sighting:
    """The knowledge of an agent about one kind of thing.

    It consists of the number of units, their cells, the nearest cell, and the distance to it.
    """

    units: int
    places: int
    nearest: Cell
    steps: int


@dataclass(frozen=True)
class Surroundings:
    """The knowledge of an agent about the map.

    Attributes:
        chests: positions of chests.
        lying: resources on the map.
        stations: events (recipes) for which a station is known, with the positions.
        others: a dictionary from the number of each visible agent to its cell; ``away`` contains
            their distances in steps.
        unseen: number of cells that the agent has never seen.
    """

    chests: Sequence[Cell]
    lying: Mapping[str, Sighting]
    stations: Mapping[str, Sighting]
    others: Mapping[int, Cell]
    unseen: int
    away: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Play:
    """A choice during play: any plan is possible, and so are the listed social actions."""

    social: tuple[str, ...] = ()


@dataclass(frozen=True)
class ChooseGroup:
    """A choice between groups: the agent may join one of ``count`` groups."""

    groups: int


@dataclass(frozen=True)
class FindPartner:
    """A choice of a partner: the agent may ask another agent to bargain."""


@dataclass(frozen=True)
class Bargain:
    """The agent's turn in a bargain.

    ``offer`` is the share that the partner proposes to keep, in tenths of the whole, or 0 if there
    is no offer.
    """

    partner: int
    offer: int


Choice = Play | ChooseGroup | FindPartner | Bargain


@dataclass(frozen=True)
class PlanSituation:
    """Everything on which the question to a planner depends.

    Attributes:
        number: index of the agent; ``agents`` is the number of agents.
        job: the agent's job.
        size: rows and columns of the map.
        sight: how far the agent sees, in cells.
        goods: the resources of the game.
        recipes: the recipes of the game's stations.
        room: the agent's capacity for each limited resource, in units.
        step: the current step; the episode has ``length`` steps.
        place: the agent's position.
        held: resource → units that the agent holds.
        groups: the agent's groups, each with the agent's weight in the group.
        around: what the agent knows about the map.
        last: the agent's previous plan; ``outcome`` says how that plan ended.
        has_chests: whether items can only be dropped in chests.
        choice: which answers are possible now.
        society: the social state.
        play: which answers are possible during play.
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
    """Build the situation in which a planner is asked.

    Args:
        knowledge: the agent's map.
        rules: the rules of the game.
        observed: the agent's rows of the observation: ``group`` (4,), ``weight`` (4,) and, in games
            with negotiation, ``bargain`` (4,).
        mask: (A,), 1 for each action that would currently have an effect.
        last: the agent's previous plan, if any.
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
    """Summarise what an agent knows about the map."""
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
