"""The rules of a village with trades as data: sites, actions, tools and hunger.

This module parses and validates the rules. Amounts are numbers of pieces, times are simulated
seconds, and positions are blocks from the middle (east, south). A user's own file has the same
fields as ``village.yaml`` next to this module.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any, Protocol, runtime_checkable

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from voxpolis.bots.agents.piano.actions import announcement
from voxpolis.bots.agents.piano.task import Action
from voxpolis.records.yaml_text import read_yaml
from voxpolis.worlds.society import Place, Resident, SocietyWorld

SHIPPED = Path(__file__).parent / "village.yaml"
# Values of an action's place other than a site: anywhere; away from all sites; at each site in
# turn.
ANYWHERE, AWAY, ROUND = "anywhere", "away", "round"
# Verbs for items in every village, in addition to its own actions.
EAT = "EAT"
# Verbs that every village has in some world.
TAKEN = (EAT, "GIVE", "PUT", "TAKE", "GO", "VISIT", "REST", "DO")
Amounts = dict[str, int]
# Patterns of item and verb names.
_ITEM, _VERB = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*"), re.compile(r"[A-Z]+")
# Validation context for a village in which some things have no source, because actions are missing
# or because people bring these things.
NOT_ALL_MADE = "not all made"
_Uses = Annotated[int, Field(ge=1, le=1_000_000)]
_Blocks = Annotated[float, Field(ge=-1_000_000, le=1_000_000)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Stock(_Part):
    """Things at a site that belong to nobody, such as ore or trees.

    Attributes:
        count: amount at the start.
        every_s: seconds until another piece grows; None if nothing grows.
        most: maximum amount.
    """

    count: int = Field(ge=0, le=1_000_000)
    every_s: float | None = Field(default=None, gt=0)
    most: int = Field(default=1_000_000, ge=0, le=1_000_000)

    @model_validator(mode="after")
    def _has_room(self) -> Stock:
        if self.count > self.most:
            raise ValueError(f"there are {self.count} at first, which must be at most {self.most}")
        return self


class Site(_Part):
    """A place that everybody knows, with its middle, radius and contents."""

    at: tuple[_Blocks, _Blocks]
    radius: float = Field(default=8.0, gt=0, le=1000)
    holds: dict[str, Stock] = {}


class Rule(_Part):
    """An action: where it is done, what it needs and what it produces.

    Attributes:
        at: a site, or ``anywhere``, ``away`` (a random place far from the market) or ``round`` (all
            sites in turn).
        takes_s: duration for a person who is not hungry.
        tools: the person must hold one of these tools. The tool wears with use.
        needs: items that the action consumes.
        makes: items that the action produces.
        uses: things that the action takes from the site.
        leaves: things that the action adds to the site after ``after_s`` seconds.
        after_s: see ``leaves``.
        chance: probability of success.
    """

    at: str
    takes_s: float = Field(gt=0, le=3600)
    tools: list[str] = []
    needs: Amounts = {}
    makes: Amounts = {}
    uses: Amounts = {}
    leaves: Amounts = {}
    after_s: float = Field(default=0.0, ge=0)
    chance: float = Field(default=1.0, gt=0, le=1)

    @field_validator("needs", "makes", "uses", "leaves")
    @classmethod
    def _positive(cls, amounts: Amounts) -> Amounts:
        for item, count in amounts.items():
            if not 1 <= count <= 10_000:
                raise ValueError(f"{item}: an amount must be from 1 to 10000")
        return amounts

    def adds(self) -> list[str]:
        """Return the kinds of things whose number at the site the action increases."""
        return [kind for kind, count in self.leaves.items() if count > self.uses.get(kind, 0)]

    def lacks(self, held: Mapping[str, int]) -> str:
        """Return what a person with this inventory lacks for the action, or an empty string."""
        if self.tools and not any(held.get(tool, 0) for tool in self.tools):
            return f"it takes {' or '.join(self.tools)}"
        for item, count in self.needs.items():
            if held.get(item, 0) < count:
                return f"it takes {count} {item}, and you hold {held.get(item, 0)}"
        return ""


class Verb(_Part):
    """A verb such as ``MINE``, with a regular expression that finds announcements of actions."""

    announced: str = Field(min_length=1)

    @field_validator("announced")
    @classmethod
    def _can_be_found(cls, words: str) -> str:
        try:
            announcement(words)
        except re.error as error:
            raise ValueError(f"{words!r} is not a regular expression: {error}") from error
        return words


class Hunger(_Part):
    """The rules of hunger. A person that has not eaten for a certain time is hungry and works
    slowly.
    """

    every_s: float = Field(default=120.0, gt=0)
    slower: float = Field(default=0.5, gt=0, le=1)
    foods: list[str] = []


@cache
def action_of(name: str) -> Action:
    """Parse the name of a rule, such as ``MINE coal``, into an action."""
    verb, _, item = name.partition(" ")
    return Action(verb, item=item)


class Trades(_Part):
    """A village with trades.

    Attributes:
        scale: factor by which the positions of sites are multiplied.
        market: the site where everybody can leave and take items.
        sites: a dictionary from the name of each site to the site.
        hunger: when people become hungry, and what they eat.
        wears: a dictionary from each tool to how many actions it lasts. Tools that are not listed
            last forever.
        verbs: a dictionary from the name of each verb to the verb.
        actions: a dictionary from each verb, or verb and item (``MINE coal``), to its rule.
    """

    scale: float = Field(default=1.0, gt=0, le=100)
    market: str
    sites: dict[str, Site]
    hunger: Hunger = Hunger()
    wears: dict[str, _Uses] = {}
    verbs: dict[str, Verb]
    actions: dict[str, Rule]

    @model_validator(mode="after")
    def _fits_together(self, info: ValidationInfo) -> Trades:
        for told in self._faults():
            raise ValueError(told)
        for told in () if info.context == NOT_ALL_MADE else self._names_nothing():
            raise ValueError(told)
        return self

    def _faults(self) -> Iterator[str]:
        if self.market not in self.sites:
            yield f"the market {self.market!r} is not a site; choose from {', '.join(self.sites)}"
        yield from self._faults_of_sites()
        for verb in self.verbs:
            if verb in TAKEN or not _VERB.fullmatch(verb):
                yield (
                    f"verb {verb!r} must be one word in capitals, A to Z, other than"
                    f" {', '.join(TAKEN)}"
                )
        for name, rule in self.actions.items():
            yield from self._faults_of(name, rule)
        made = {item for rule in self.actions.values() for item in rule.makes}
        for name, rule in self.actions.items():
            if rule.tools and not made.intersection(rule.tools):
                yield f"action {name}: no action makes any of its tools: {', '.join(rule.tools)}"
            for item in rule.needs:
                if item not in made:
                    yield f"action {name}: no action makes what it needs: {item}"
        for name in self._never_done():
            yield f"action {name} is never possible: what it takes is only made by itself"
        things = (name.partition(" ")[2] for name in self.actions)
        for item in filter(None, (*things, *self.items)):
            if not _ITEM.fullmatch(item):
                yield f"item {item!r} must be small letters and digits, with words joined by _"

    def _names_nothing(self) -> Iterator[str]:
        for food in self.hunger.foods:
            if food not in self.makers:
                yield f"hunger.foods: no action makes {food}"
        tools = {tool for rule in self.actions.values() for tool in rule.tools}
        for tool in self.wears:
            if tool not in self.makers and tool not in tools:
                yield f"wears: no action makes {tool}, and no action takes it"

    def _faults_of_sites(self) -> Iterator[str]:
        for name in self.sites:
            if name in (ANYWHERE, AWAY, ROUND):
                yield f"a site cannot be called {name}"
            elif not name.strip() or name != " ".join(name.split()):
                yield f"site {name!r}: a name must be one line without spaces around it"

    def _never_done(self) -> list[str]:
        """Return the actions that can never be done, because people start with empty inventories
        and no sequence of actions yields what is needed.
        """
        left, held = dict(self.actions), set[str]()
        added = set[tuple[str, str]]()
        while True:
            can = [
                name
                for name, rule in left.items()
                if held.issuperset(rule.needs)
                and (not rule.tools or held.intersection(rule.tools))
                and all(
                    (rule.at, kind) in added or count <= self._most_at(rule.at, kind)
                    for kind, count in rule.uses.items()
                )
            ]
            if not can:
                return list(left)
            for name in can:
                rule = left.pop(name)
                held.update(rule.makes)
                added.update((rule.at, kind) for kind in rule.adds())

    def _faults_of(self, name: str, rule: Rule) -> Iterator[str]:
        verb, _, item = name.partition(" ")
        if verb not in self.verbs:
            yield f"action {name}: there is no verb {verb!r}; choose from {', '.join(self.verbs)}"
        if " " in item:
            yield f"action {name} must be a verb, or a verb and an item"
        if bool(item) != all(" " in other for other in self.of_verb(verb)):
            yield f"action {name}: {verb} must have an item in all actions, or in none"
        if rule.at not in (*self.sites, ANYWHERE, AWAY, ROUND):
            there = ", ".join((*self.sites, ANYWHERE, AWAY, ROUND))
            yield f"action {name}: there is no site {rule.at!r}; choose from {there}"
        elif (rule.uses or rule.leaves) and rule.at not in self.sites:
            yield f"action {name}: it uses or leaves something, so it must be done at a site"
        elif rule.at in self.sites:
            adding = {
                kind for one in self.actions.values() if one.at == rule.at for kind in one.adds()
            }
            for kind, count in rule.uses.items():
                most = self._most_at(rule.at, kind)
                if count > most and kind not in adding:
                    some = f"more than {most}" if most else "any"
                    yield f"action {name}: there is never {some} {kind} at {rule.at}"

    def _most_at(self, site: str, kind: str) -> int:
        stock = self.sites[site].holds.get(kind)
        if stock is None:
            return 0
        return stock.count if stock.every_s is None else stock.most

    def with_actions(
        self, actions: Mapping[str, Rule], scale: float = 1.0, **others: object
    ) -> Trades:
        """Return a copy of the village in which ``actions`` replace its own actions. The distances
        between sites are multiplied by ``scale``.

        Foods and tools are kept even if no action uses them any more.

        Raises:
            ValueError: the rules contradict each other.
        """
        fields = {name: getattr(self, name) for name in type(self).model_fields}
        fields |= {"actions": dict(actions), "scale": self.scale * scale, **others}
        return Trades.model_validate(fields, context=NOT_ALL_MADE)

    # --- Derived data ----------------------------------------------------------------------------

    def of_verb(self, verb: str) -> list[str]:
        return [name for name in self.actions if name.partition(" ")[0] == verb]

    @cached_property
    def rules(self) -> Mapping[str, Rule]:
        """A dictionary from each action, including eating (``EAT bread``), to its rule."""
        eating = {
            f"{EAT} {food}": Rule(at=ANYWHERE, takes_s=2.0, needs={food: 1})
            for food in self.hunger.foods
        }
        return {**self.actions, **eating}

    @cached_property
    def makers(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name, rule in self.actions.items():
            for item in rule.makes:
                found.setdefault(item, []).append(name)
        return found

    @cached_property
    def items(self) -> tuple[str, ...]:
        """All items that people can hold: products and foods."""
        return tuple(dict.fromkeys((*self.makers, *self.hunger.foods)))

    def places(self) -> dict[str, tuple[float, float]]:
        return {
            name: (site.at[0] * self.scale, site.at[1] * self.scale)
            for name, site in self.sites.items()
        }


def read_trades(path: Path = SHIPPED) -> dict[str, Any]:
    """Read the fields of a village's file.

    Raises:
        ValueError: the file cannot be read or is not a YAML mapping.
    """
    fields = read_yaml(path)
    if not isinstance(fields, dict):
        raise ValueError(f"{path} must be a mapping of fields to values")
    return fields


# --- Reports of work, and the interface of a world with trades ------------------------------------

# Text of the threat that hungry people perceive.
HUNGRY = "hungry"


@dataclass(frozen=True)
class Report:
    """The result of an action, according to the world.

    Attributes:
        t: time in simulated seconds.
        agent: name of the agent.
        verb: the verb, such as ``MINE``.
        item: the item, such as ``coal``; empty for verbs without an item.
        reason: why the action failed; empty on success.
        gained: by how much the agent's inventory of the action's products grew.
        spent: by how much the agent's inventory of the action's inputs shrank.
        to: who received a gift.
    """

    t: float
    agent: str
    verb: str
    item: str = ""
    reason: str = ""
    gained: Mapping[str, int] = field(default_factory=dict)
    spent: Mapping[str, int] = field(default_factory=dict)
    to: str = ""

    @property
    def ok(self) -> bool:
        return not self.reason

    @property
    def action(self) -> str:
        """The name of the action, such as ``MINE coal``."""
        return f"{self.verb} {self.item}".strip()

    def fields(self) -> dict[str, Any]:
        """Return the report as the fields of :class:`records.events.ActionDone`."""
        return {
            "action": self.verb,
            "item": self.item,
            "ok": self.ok,
            "reason": self.reason,
            "gained": dict(self.gained),
            "spent": dict(self.spent),
            "to": self.to,
        }


@runtime_checkable
class TradeWorld(SocietyWorld, Protocol):
    """A village with trades, in simulation or in Minecraft.

    Methods that take time return None until the work is over, and then return its report. The
    caller calls them repeatedly. A person who starts something else abandons the work in progress.

    Attributes:
        trades: the rules of the village.
        residents: a dictionary from the name of each resident to the resident.
        listeners: functions that are called with each report.
        log: number of completed actions for each pair (agent, action).
        barred: the persons that may take nothing from the market now, each with the reason.
    """

    trades: Trades
    residents: dict[str, Resident]
    barred: dict[str, str]
    listeners: list[Callable[[Report], None]]
    log: Counter[tuple[str, str]]

    def target(self, name: str, action: str) -> str | None:
        """Return where a person must go for an action, or None if any place will do."""

    def lacks(self, name: str, action: str) -> str:
        """Return what a person lacks for an action, or an empty string."""

    def carry_on(self, name: str, action: str) -> Report | None:
        """Start or continue an action."""

    def stop_work(self, name: str) -> None:
        """Abandon the work that a person is doing."""

    def give(self, name: str, count: int, item: str, to: str) -> Report | None:
        """Give items to a person nearby."""

    def put(self, name: str, count: int, item: str) -> Report | None:
        """Put items into the market."""

    def take(self, name: str, count: int, item: str) -> Report | None:
        """Take items from the market."""


# --- Destinations of people's actions -------------------------------------------------------------

# Radius of exploration around a village's middle, in blocks; our choice.
AWAY_BLOCKS = (60.0, 140.0)


class Targets:
    """The destinations of people who make a round (all sites in turn) or explore (at random)."""

    def __init__(
        self,
        trades: Trades,
        residents: Mapping[str, Resident],
        chances: Mapping[str, random.Random],
        scale: float = 1.0,
    ) -> None:
        self._trades = trades
        self._residents = residents
        self._chances = chances
        self._away = tuple(blocks * scale for blocks in AWAY_BLOCKS)
        self._rounds: Counter[str] = Counter()
        self._aims: dict[str, Place] = {}

    def of(self, name: str, action: str) -> str | None:
        """Return where a person must go for an action, or None if any place will do."""
        at = self._trades.rules[action].at
        if at == ANYWHERE:
            return None
        if at == ROUND:
            return list(self._trades.sites)[self._rounds[name] % len(self._trades.sites)]
        if at == AWAY and name not in self._aims:
            self._aims[name] = self._somewhere(name)
        return at

    def aim(self, name: str) -> Place:
        return self._aims[name]

    def reached(self, name: str, action: str) -> None:
        if self._trades.rules[action].at == ROUND:
            self._rounds[name] += 1
        self._aims.pop(name, None)

    def _somewhere(self, name: str) -> Place:
        x, z = self._residents[name].places[self._trades.market]
        chance = self._chances[name]
        angle, far = chance.random() * math.tau, chance.uniform(*self._away)
        return (x + far * math.cos(angle), z + far * math.sin(angle))
