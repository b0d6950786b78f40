"""The data of games: resources, events, jobs and games. Games are read from YAML or built in
Python.

Source of the shipped data: Huang et al., "AdaSociety" (NeurIPS 2024).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from voxpolis.grid.adasociety.rules import reachable
from voxpolis.grid.core.data import (
    Count,
    Data,
    GameError,
    Reach,
    UnknownNameError,
    Whole,
    check_map,
    error_text,
    lines_of,
    read_data,
    text_of_rows,
)

DATA = Path(__file__).parent / "data"
RULES_FILE = DATA / "adasociety.yaml"

Counts = dict[str, Count]
# Limit on weights, rewards and preferences, so that products and sums stay finite.
MOST = 1e9
Weight = Annotated[float, Field(gt=0, le=MOST)]
# Maximum number of resources, so that a set of resources fits into a machine word.
MAX_RESOURCES = 62
# Maximum number of groups per agent.
MAX_GROUPS = 4
# Limits beyond which a clear error is raised; the memory needed also depends on sight and open
# actions.
MAX_CELLS, MAX_AGENTS = 2**24, 2**16
# Fields that a layout determines.
FOLLOW = {"map", "blocks", "piles", "events"}
SocialAction = Literal["message", "share", "join"]


class Resource(Data):
    """A resource. ``reward`` is what one unit is worth.

    An agent must hold one of each of ``requires`` to see and collect the resource. It must also
    hold any one of ``tools`` to collect the resource.
    """

    reward: float = Field(ge=0, le=MOST)
    requires: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


class SynthesisEvent(Data):
    """A station at which an agent that holds ``requires`` can turn ``inputs`` into one
    ``output``.
    """

    inputs: dict[str, Whole] = Field(min_length=1)
    output: str
    requires: tuple[str, ...] = ()


class Job(Data):
    """A job of agents: how many cells the agents see, how many units they can hold, and by which
    factor (``preference``) the reward of each resource is multiplied for them.
    """

    sight: Reach = Field(gt=0)
    capacity: Counts = Field(default={})
    preference: dict[str, Annotated[float, Field(ge=-MOST, le=MOST)]] = Field(default={})


class Stage(Data):
    """A stage before play starts, which consists of rounds of choosing a group or of steps of
    negotiation.
    """

    contract: Count = 0
    negotiation: Count = 0

    @model_validator(mode="after")
    def _one(self) -> Stage:
        if self.contract and self.negotiation:
            raise ValueError("a stage is either a contract or a negotiation")
        return self


class Structure(Data):
    """The groups that exist from step ``step`` on. Each group maps its members to weights.

    If a group is only a list of its members, all weights are 1. ``unions`` are groups of groups,
    which are given by their numbers. A union pools the earnings of its groups and pays them back by
    weight. ``shares`` says which agents share their observations: none, all, the members of each
    group, or sets of agents that are listed (circles).
    """

    step: Count = 0
    groups: tuple[dict[Count, Weight], ...] = ()
    unions: tuple[dict[Count, Weight], ...] = ()
    shares: Literal["none", "all", "groups"] | tuple[tuple[Count, ...], ...] = "none"

    @field_validator("groups", "unions", mode="before")
    @classmethod
    def _weighted(cls, groups: object) -> object:
        if not isinstance(groups, list | tuple):
            return groups
        return tuple(dict.fromkeys(g, 1.0) if isinstance(g, list | tuple) else g for g in groups)

    def circles(self, agents: int) -> tuple[tuple[int, ...], ...]:
        """Return the sets of agents that share observations with each other."""
        if self.shares == "groups":
            return tuple(tuple(group) for group in self.groups)
        if self.shares == "all":
            return (tuple(range(agents)),)
        return () if self.shares == "none" else self.shares

    @model_validator(mode="after")
    def _unions_are_of_groups(self) -> Structure:
        joined = [group for union in self.unions for group in union]
        if len(joined) != len(set(joined)):
            raise ValueError("a group can be in one union only")
        if any(group >= len(self.groups) for group in joined):
            raise ValueError(f"unions can contain only the {len(self.groups)} groups")
        return self


class Game(Data):
    """A game: a map with resources, stations and agents, and the social actions allowed on it.

    Attributes:
        map: height and width in cells.
        blocks: number of cells that agents cannot enter.
        piles: for each resource, the number of piles and the number of units in each pile.
        events: for each event, the number of its stations.
        agents: for each job, the number of agents. Agents are numbered in the order of the jobs.
        length: number of steps in an episode.
        social: social actions that agents may take during play.
        layout: the rows of the map, as a text or a list. ``#`` stands for a block, ``.`` for a free
            cell, ``@`` for the start of an agent (all agents have one, or none), and other letters
            for what the ``legend`` says. ``map``, ``blocks``, ``piles`` and ``events`` follow from
            the layout. Without a layout, positions are drawn in each episode.
        legend: what each other letter means; it may also stand for ``#``, ``.`` or ``@``.
        resources: resources that are used in addition to those in piles and events, for programs
            that let them grow or put them into inventories.
    """

    layout: str = ""
    legend: dict[str, Symbol] = Field(default={})
    map: tuple[Whole, Whole]
    blocks: Count = 0
    piles: dict[str, tuple[Whole, Whole]]
    events: dict[str, Whole]
    resources: tuple[str, ...] = ()
    agents: dict[str, Whole] = Field(default={"explorer": 1}, min_length=1)
    length: Whole = 500
    stage: Stage = Stage()
    social: tuple[SocialAction, ...] = ()
    structure: tuple[Structure, ...] = ()

    @property
    def rows(self) -> list[str]:
        """The rows of the layout. The list is empty if positions are drawn."""
        return self.layout.split()

    def cells(self, symbols: str) -> list[tuple[int, str]]:
        """Return the cells of the layout that contain one of the given symbols, as pairs of cell
        number and symbol, row by row.
        """
        return [(n, s) for n, s in enumerate("".join(self.rows)) if s in symbols]

    @model_validator(mode="before")
    @classmethod
    def _follows_from_the_layout(cls, data: Any) -> Any:
        if not isinstance(data, dict) or not data.get("layout"):
            return data
        layout, legend = text_of_rows(data["layout"]), data.get("legend") or {}
        if not isinstance(layout, str) or not isinstance(legend, dict):
            return data  # validation reports a wrong type
        fields = read_layout(layout, legend)
        for name in FOLLOW:
            if name in data and data[name] != fields[name]:
                raise ValueError(f"{name} follows from the layout: remove it")
        return {**data, **fields}

    @property
    def jobs(self) -> list[str]:
        return [job for job, number in self.agents.items() for _ in range(number)]

    @property
    def stage_steps(self) -> int:
        return self.stage.contract * len(self.jobs) or self.stage.negotiation

    @model_validator(mode="after")
    def _fits(self) -> Game:
        size, agents = self.map[0] * self.map[1], sum(self.agents.values())
        if size > MAX_CELLS:
            raise ValueError(f"a map of {size} cells is too large: the maximum is {MAX_CELLS}")
        if agents > MAX_AGENTS:
            raise ValueError(f"{agents} agents are too many: the maximum is {MAX_AGENTS}")
        cells = size - self.blocks
        for what, places in (
            ("piles", sum(number for number, _ in self.piles.values())),
            ("events", sum(self.events.values())),
            ("agents", agents),
        ):
            if places > cells:
                raise ValueError(f"{places} {what} do not fit on {max(cells, 0)} free cells")
        for name, (_, units) in self.piles.items():
            if units > MAX_UNITS:
                raise ValueError(
                    f"a pile of {name} holds {units} units; the maximum is {MAX_UNITS}"
                )
        return self

    @model_validator(mode="after")
    def _all_agents_start_somewhere(self) -> Game:
        starts = len(self.cells(START))
        if starts not in (0, len(self.jobs)):
            raise ValueError(f"the layout has {starts} starts (@) for {len(self.jobs)} agents")
        return self

    @model_validator(mode="after")
    def _structure_is_of_this_game(self) -> Game:
        steps = [part.step for part in self.structure]
        if steps != sorted(set(steps)):
            raise ValueError("the parts of a structure must have increasing steps")
        for part in self.structure:
            named = [*part.groups, *part.circles(len(self.jobs))]
            for member in (member for members in named for member in members):
                if member >= len(self.jobs):
                    raise ValueError(f"there is no agent {member}: the game has {len(self.jobs)}")
            for agent, number in Counter(m for group in part.groups for m in group).items():
                if number > MAX_GROUPS:
                    raise ValueError(
                        f"agent {agent} is in {number} groups: the maximum is {MAX_GROUPS}"
                    )
        if self.structure and self.stage_steps:
            raise ValueError("a game can have a stage or a structure, not both")
        if self.stage_steps >= self.length:
            raise ValueError(f"the stage leaves none of the {self.length} steps")
        return self


class Rules(Data):
    """A synthesis tree (what can be made from what), with the jobs and games that use it."""

    resources: dict[str, Resource] = Field(max_length=MAX_RESOURCES)
    events: dict[str, SynthesisEvent]
    jobs: dict[str, Job]
    games: dict[str, Game]

    @model_validator(mode="after")
    def _names_are_known(self) -> Rules:
        named = [(("resources", n), (*r.requires, *r.tools)) for n, r in self.resources.items()]
        named += [
            (("events", n), (*e.inputs, e.output, *e.requires)) for n, e in self.events.items()
        ]
        named += [(("jobs", n), (*j.capacity, *j.preference)) for n, j in self.jobs.items()]
        named += [(("games", n), (*g.piles, *g.resources)) for n, g in self.games.items()]
        for place, names in named:
            for name in names:
                if name not in self.resources:
                    raise UnknownNameError(place, "resource", name)
        for name, game in self.games.items():
            for event in game.events:
                if event not in self.events:
                    raise UnknownNameError(("games", name), "event", event)
            for job in game.agents:
                if job not in self.jobs:
                    raise UnknownNameError(("games", name), "job", job)
            _check_sources(self, name, game)
        return self

    def score(self, job: str, held: Mapping[str, int]) -> float:
        """Return the score for the items that an agent holds: the sum of amount · preference ·
        reward.
        """
        preference = self.jobs[job].preference
        return sum(
            count * preference.get(name, 1.0) * self.resources[name].reward
            for name, count in held.items()
            if name in self.resources
        )

    def in_play(self, game: Game) -> tuple[list[str], list[str]]:
        """Return the resources and events that a game uses, in the order of the rules."""
        events = [name for name in self.events if name in game.events]
        used = {*game.piles, *game.resources}
        for name in tuple(used):
            used |= {*self.resources[name].requires, *self.resources[name].tools}
        for name in events:
            event = self.events[name]
            used |= {*event.inputs, event.output, *event.requires}
        return [name for name in self.resources if name in used], events


def _check_sources(rules: Rules, name: str, game: Game) -> None:
    """Refuse a game that contains a pile that no job can collect, or an event whose inputs nobody
    can get.
    """
    had = reachable(rules, game, given=game.resources)
    lost = [pile for pile in game.piles if pile not in had]
    lost += [event for event in game.events if rules.events[event].output not in had]
    if lost:
        raise ValueError(f"game {name}: no agent can ever obtain {', '.join(lost)}")


def read_rules(path: Path = RULES_FILE) -> Rules:
    """Read a rules file.

    Raises:
        GameError: the file cannot be read, is not YAML, or is invalid; the message names the line.
    """
    return read_data(path, Rules)


def shipped_files() -> list[Path]:
    """Return the rules files that are shipped with the project. AdaSociety's file comes first."""
    return [RULES_FILE, *sorted(path for path in DATA.glob("*.yaml") if path != RULES_FILE)]


def read_game(name: str, path: Path | None = None, known: Iterable[str] = ()) -> tuple[Rules, Game]:
    """Return the game with a given name, and the rules that it uses. Without ``path``, the game is
    looked up in the files that are shipped with the project. ``known`` are further names of games,
    which the error message lists.

    Raises:
        GameError: there is no such game, or the file is invalid.
    """
    names = [*known]
    for file in shipped_files() if path is None else [path]:
        rules = read_rules(file)
        if name in rules.games:
            return rules, rules.games[name]
        names += rules.games
    raise GameError(f"there is no game {name!r}; there are: {', '.join(names)}")


def with_changes(rules: Rules, game: Game, changes: Mapping[str, object]) -> Game:
    """Return a game with some fields changed. A new layout replaces the fields that follow from a
    layout.

    Raises:
        GameError: there is no such field, or its value is invalid.
    """
    follows = FOLLOW if "layout" in changes else set()
    if "layout" in changes and not changes["layout"]:
        raise GameError("layout: the map is empty")
    try:
        changed = Game.model_validate({**game.model_dump(exclude=follows), **changes})
        Rules.model_validate({**rules.model_dump(), "games": {"changed": changed.model_dump()}})
    except ValidationError as error:
        told = error_text(error, left_out=("games", "changed"))
        raise GameError(told.removeprefix("game changed: ")) from error
    return changed


# --- Custom maps: rows of symbols and their meaning -----------------------------------------------

# Maximum value of a byte in the map.
MAX_UNITS = 255
# Letters with a fixed meaning: blocks, free cells, agents' starts.
BLOCK, GROUND, START = "#", ".", "@"
LETTERS = BLOCK + GROUND + START

Units = Annotated[int, Field(gt=0, le=MAX_UNITS)]


class Symbol(BaseModel):
    """The meaning of a letter in a layout: a pile with its units, the station of an event, or a
    chest.

    ``chest`` lists the items in the chest. In a game with chests, agents can lay items down only
    there.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    pile: str = ""
    units: Units = 1
    event: str = ""
    chest: dict[str, Units] | None = None

    @model_validator(mode="after")
    def _one(self) -> Symbol:
        if [bool(self.pile), bool(self.event), self.chest is not None].count(True) != 1:
            raise ValueError("a symbol is one of a pile, an event or a chest")
        return self

    @property
    def holds(self) -> dict[str, int]:
        return {self.pile: self.units} if self.pile else dict(self.chest or {})


def read_layout(layout: str, legend: dict[str, Any]) -> dict[str, Any]:
    """Replace letters of a layout that stand for standard letters (``#``, ``.`` and ``@``). Return
    the layout with its legend, map, blocks, piles and events, as fields of a game.

    Raises:
        ValueError: the rows differ in length, or a symbol is invalid or missing from the legend.
    """
    ours = {letter: value for letter, value in legend.items() if _is_letter(value)}
    symbols = _symbols(legend, ours)
    lines = lines_of(layout, legend)
    check_map(lines, layout, LETTERS, legend)
    rows = ["".join(ours.get(letter, letter) for letter in line) for line in lines]
    piles: dict[str, tuple[int, int]] = {}
    events: dict[str, int] = {}
    for symbol in "".join(rows):
        if symbol in LETTERS:
            continue
        stands_for = symbols[symbol]
        if stands_for.event:
            events[stands_for.event] = events.get(stands_for.event, 0) + 1
        for name, lying in stands_for.holds.items():
            number, units = piles.get(name, (0, 0))
            piles[name] = number + 1, max(units, lying)
    text = "\n".join(rows)
    found = {"map": (len(rows), len(rows[0])), "blocks": text.count(BLOCK)}
    return {"layout": text, "legend": symbols, **found, "piles": piles, "events": events}


def _is_letter(value: object) -> bool:
    """Return True if this value of a legend is a standard letter."""
    return isinstance(value, str) and len(value) == 1 and value in LETTERS


def _symbols(legend: dict[str, Any], ours: Container[str]) -> dict[str, Symbol]:
    """Return a dictionary from each letter of a legend to its symbol, leaving out the letters in
    ``ours``, which only stand for standard letters.
    """
    symbols: dict[str, Symbol] = {}
    for letter, value in legend.items():
        if not isinstance(letter, str) or len(letter) != 1 or letter in "\r\n\t":
            raise ValueError(f"legend: {letter!r} must be a single letter")
        if letter in LETTERS:
            raise ValueError(f"legend: {letter!r} has a fixed meaning")
        if letter in ours:
            continue
        if letter == " " or isinstance(value, str):
            raise ValueError(
                f"legend: {letter!r} must stand for one of {LETTERS}"
                f"{'' if letter == ' ' else ', or {pile: …}, {event: …} or {chest: …}'}"
                f", not for {value!r}"
            )
        try:
            symbols[letter] = Symbol.model_validate(value)
        except ValidationError as error:
            raise ValueError(f"legend.{letter}: {error_text(error)}") from error
    return symbols
