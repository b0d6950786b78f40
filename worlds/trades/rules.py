"""What a village with trades is, as data: sites, actions, tools, hunger; read and checked.

Amounts are pieces, times are seconds of the village's own, places are blocks from the middle (east,
south). A user's file has the same fields as ``village.yaml`` beside this module.
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
# Where an action can be done besides at a site: wherever one is; away from all sites; at the next
# of all sites in turn.
ANYWHERE, AWAY, ROUND = "anywhere", "away", "round"
# What every village lets its people do with things, beside its own actions.
EAT = "EAT"
# Verbs that villages have anyway, in some world.
TAKEN = (EAT, "GIVE", "PUT", "TAKE", "GO", "VISIT", "REST", "DO")
Amounts = dict[str, int]
# What items and verbs can be called.
_ITEM, _VERB = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*"), re.compile(r"[A-Z]+")
# A village in which not all that is named is made: without some actions, or people bring things.
NOT_ALL_MADE = "not all made"
_Uses = Annotated[int, Field(ge=1, le=1_000_000)]
_Blocks = Annotated[float, Field(ge=-1_000_000, le=1_000_000)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Stock(_Part):
    """Something that stands or grows at a site and belongs to nobody.

    Attributes:
        count: how much there is at first.
        every_s: one more comes each time so many seconds are over; None: it does not grow.
        most: up to so many.
    """

    count: int = Field(ge=0, le=1_000_000)
    every_s: float | None = Field(default=None, gt=0)
    most: int = Field(default=1_000_000, ge=0, le=1_000_000)

    @model_validator(mode="after")
    def _has_room(self) -> Stock:
        if self.count > self.most:
            raise ValueError(f"there are {self.count} at first, and at most {self.most}")
        return self


class Site(_Part):
    """A place that everybody knows: its middle, how far it reaches, and what is there."""

    at: tuple[_Blocks, _Blocks]
    radius: float = Field(default=8.0, gt=0, le=1000)
    holds: dict[str, Stock] = {}


class Rule(_Part):
    """An action: where it is done, what it takes, and what comes of it.

    Attributes:
        at: the site; ``anywhere``, ``away`` or ``round``.
        takes_s: how long it takes somebody who is not hungry.
        tools: any one of these must be held; it wears.
        needs: what is used up of what one holds.
        makes: what one has of it.
        uses: what is taken from the site.
        leaves: what is added to the site, after ``after_s``.
        after_s: see ``leaves``.
        chance: how often anything comes of it.
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
                raise ValueError(f"{item}: an amount is from 1 to 10000")
        return amounts

    def adds(self) -> list[str]:
        """Return of what there is more at its site afterwards."""
        return [kind for kind, count in self.leaves.items() if count > self.uses.get(kind, 0)]

    def lacks(self, held: Mapping[str, int]) -> str:
        """Return what is lacking for it of what somebody holds; empty: nothing."""
        if self.tools and not any(held.get(tool, 0) for tool in self.tools):
            return f"it takes {' or '.join(self.tools)}"
        for item, count in self.needs.items():
            if held.get(item, 0) < count:
                return f"it takes {count} {item}, and you hold {held.get(item, 0)}"
        return ""


class Verb(_Part):
    """A verb of actions: by which words somebody announces it (a regular expression)."""

    announced: str = Field(min_length=1)

    @field_validator("announced")
    @classmethod
    def _can_be_found(cls, words: str) -> str:
        try:
            announcement(words)
        except re.error as error:
            raise ValueError(f"{words!r} is no regular expression: {error}") from error
        return words


class Hunger(_Part):
    """Who ate nothing for so long is hungry, and so much slower, until it eats one of the foods."""

    every_s: float = Field(default=120.0, gt=0)
    slower: float = Field(default=0.5, gt=0, le=1)
    foods: list[str] = []


@cache
def action_of(name: str) -> Action:
    """Return the action of a rule, by the name that it has in a village: ``MINE coal``."""
    verb, _, item = name.partition(" ")
    return Action(verb, item=item)


class Trades(_Part):
    """A village with trades.

    Attributes:
        scale: all places of sites are multiplied by it.
        market: the site where everybody can put things and take them.
        sites: by name.
        hunger: when people are hungry, and what they eat.
        wears: how many actions a tool lasts, by item; others last for ever.
        verbs: by name.
        actions: by verb, or by verb and item: ``MINE coal``.
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
            yield f"the market {self.market!r} is no site; there are: {', '.join(self.sites)}"
        yield from self._faults_of_sites()
        for verb in self.verbs:
            if verb in TAKEN or not _VERB.fullmatch(verb):
                yield (
                    f"verb {verb!r}: one word in capitals, A to Z, that is none of"
                    f" {', '.join(TAKEN)}"
                )
        for name, rule in self.actions.items():
            yield from self._faults_of(name, rule)
        made = {item for rule in self.actions.values() for item in rule.makes}
        for name, rule in self.actions.items():
            if rule.tools and not made.intersection(rule.tools):
                yield f"action {name}: nobody can make any of its tools: {', '.join(rule.tools)}"
            for item in rule.needs:
                if item not in made:
                    yield f"action {name}: nobody can make what it needs: {item}"
        for name in self._never_done():
            yield f"action {name}: nobody can ever do it: what it takes is only made of itself"
        things = (name.partition(" ")[2] for name in self.actions)
        for item in filter(None, (*things, *self.items)):
            if not _ITEM.fullmatch(item):
                yield f"item {item!r}: small letters and digits, words joined by _"

    def _names_nothing(self) -> Iterator[str]:
        for food in self.hunger.foods:
            if food not in self.makers:
                yield f"hunger.foods: nobody can make {food}"
        tools = {tool for rule in self.actions.values() for tool in rule.tools}
        for tool in self.wears:
            if tool not in self.makers and tool not in tools:
                yield f"wears: nobody can make {tool}, and no action takes it"

    def _faults_of_sites(self) -> Iterator[str]:
        for name in self.sites:
            if name in (ANYWHERE, AWAY, ROUND):
                yield f"a site cannot be called {name}"
            elif not name.strip() or name != " ".join(name.split()):
                yield f"site {name!r}: a name is one line without spaces around it"

    def _never_done(self) -> list[str]:
        """Return the actions that nobody can come to, from empty hands and what sites hold."""
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
            yield f"action {name}: there is no verb {verb!r}; there are: {', '.join(self.verbs)}"
        if " " in item:
            yield f"action {name}: a verb, or a verb and an item"
        if bool(item) != all(" " in other for other in self.of_verb(verb)):
            yield f"action {name}: {verb} stands with an item in all actions, or in none"
        if rule.at not in (*self.sites, ANYWHERE, AWAY, ROUND):
            there = ", ".join((*self.sites, ANYWHERE, AWAY, ROUND))
            yield f"action {name}: there is no site {rule.at!r}; there are: {there}"
        elif (rule.uses or rule.leaves) and rule.at not in self.sites:
            yield f"action {name}: it uses or leaves something, so it is done at a site"
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
        """Return how many of a thing a site ever holds if no action adds to it."""
        stock = self.sites[site].holds.get(kind)
        if stock is None:
            return 0
        return stock.count if stock.every_s is None else stock.most

    def with_actions(
        self, actions: Mapping[str, Rule], scale: float = 1.0, **others: object
    ) -> Trades:
        """Return the same village with other actions; ``scale``: sites lie so much farther apart.

        Foods and tools that no action makes or takes any more stay named.

        Raises:
            ValueError: it does not fit together.
        """
        fields = {name: getattr(self, name) for name in type(self).model_fields}
        fields |= {"actions": dict(actions), "scale": self.scale * scale, **others}
        return Trades.model_validate(fields, context=NOT_ALL_MADE)

    # --- What follows from it --------------------------------------------------------------------

    def of_verb(self, verb: str) -> list[str]:
        return [name for name in self.actions if name.partition(" ")[0] == verb]

    @cached_property
    def rules(self) -> Mapping[str, Rule]:
        """All actions by name, those among them that foods make: ``EAT bread``."""
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
        """All items that people can come to hold: what is made, and food."""
        return tuple(dict.fromkeys((*self.makers, *self.hunger.foods)))

    def places(self) -> dict[str, tuple[float, float]]:
        return {
            name: (site.at[0] * self.scale, site.at[1] * self.scale)
            for name, site in self.sites.items()
        }


def read_trades(path: Path = SHIPPED) -> dict[str, Any]:
    """Return the fields of a village's file.

    Raises:
        ValueError: it cannot be read, or is no YAML of fields and values.
    """
    fields = read_yaml(path)
    if not isinstance(fields, dict):
        raise ValueError(f"{path} must hold fields and values")
    return fields


# --- What came of work, by the world's own account, and what a world with trades is ---------------

# What one feels who ate nothing for too long.
HUNGRY = "hungry"


@dataclass(frozen=True)
class Report:
    """What came of an action, by the world's own account.

    Attributes:
        t: when, in seconds of the village's time.
        agent: who did it.
        verb: such as ``MINE``.
        item: such as ``coal``; empty for verbs without one.
        reason: why nothing came of it; empty: it was done.
        gained: what the agent has more of, of what the action makes.
        spent: what the agent has less of, of what it needs.
        to: who got it, of a gift.
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
        """The action's name: ``MINE coal``."""
        return f"{self.verb} {self.item}".strip()

    def fields(self) -> dict[str, Any]:
        """Return the fields of :class:`records.events.ActionDone`."""
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
    """A village with trades, wherever it is.

    What takes time is begun by one call and looked at by others: they return None until it is over,
    and then what came of it. Whoever begins something else leaves what it was busy with.

    Attributes:
        trades: what can be done here.
        residents: who lives here, by name.
        listeners: called with each report.
        log: how often each did each action, by agent and action.
        barred: by name, why somebody may take nothing from the market now.
    """

    trades: Trades
    residents: dict[str, Resident]
    barred: dict[str, str]
    listeners: list[Callable[[Report], None]]
    log: Counter[tuple[str, str]]

    def target(self, name: str, action: str) -> str | None:
        """Return where somebody has to go for an action; None: nowhere."""

    def lacks(self, name: str, action: str) -> str:
        """Return what somebody lacks for an action of what one holds; empty: nothing."""

    def carry_on(self, name: str, action: str) -> Report | None:
        """Go on with an action, or begin it."""

    def stop_work(self, name: str) -> None:
        """Let somebody leave what it was busy with."""

    def give(self, name: str, count: int, item: str, to: str) -> Report | None:
        """Let somebody give things to somebody next to it."""

    def put(self, name: str, count: int, item: str) -> Report | None:
        """Let somebody put things into the market."""

    def take(self, name: str, count: int, item: str) -> Report | None:
        """Let somebody take things from the market."""


# --- Where people of a village with trades have to go for what they do ----------------------------

# How far from a village's middle those go who explore, in blocks; ours.
AWAY_BLOCKS = (60.0, 140.0)


class Targets:
    """What each has to reach next: the sites in turn on a round, somewhere far off to explore."""

    def __init__(
        self,
        trades: Trades,
        residents: Mapping[str, Resident],
        chances: Mapping[str, random.Random],
        scale: float = 1.0,
    ) -> None:
        """Begin with nobody on the way."""
        self._trades = trades
        self._residents = residents
        self._chances = chances
        self._away = tuple(blocks * scale for blocks in AWAY_BLOCKS)
        self._rounds: Counter[str] = Counter()
        self._aims: dict[str, Place] = {}

    def of(self, name: str, action: str) -> str | None:
        """Return where somebody has to go for an action; None: nowhere."""
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
