"""Converts events to the data that the page shows, in batches.

A batch is a JSON object. Most of its entries are tables, given as one list per column. The page
puts them into typed arrays. A value with a time ``t`` is valid from that time on.

- ``agents``, ``items``, ``kinds``: names that appear for the first time in this batch. All other
  entries refer to names by number.
- ``rows``: all events except samples, with ``t``, ``episode``, ``kind``, and ``agent`` (-1 for
  none). ``texts`` contains a line of text for each row. ``details`` contains the whole event if a
  panel needs it, the gathered items (``action``, ``item``, ``count``) if lines are merged, and
  otherwise null.
- ``starts``: ``t`` of the first event of each ``episode`` but the first, and the number of rows
  that the tables ``links``, ``levels``, ``groups`` and ``deeds`` of this batch have before it.
- ``chapters``: ``t``, ``agent``, ``title``, where a chapter of the run's story begins.
- ``moves``: ``t``, ``agent``, ``x``, ``y``, ``z``, the positions of agents.
- ``held``: ``t``, ``agent``, ``item``, ``count``, the items of agents.
- ``levels``: ``t``, ``agent``, ``level`` of conversion, and ``believed``, which says whether the
  agent believed from the start, as priests do. The level of these agents is the highest.
- ``points``: ``t``, ``chart``, ``series``, ``y``, the points of further curves.
- ``links``: ``t``, ``what`` (talk, gift, trade, pay, like, feeling, trust, conversion, vote, hit),
  ``from``, ``to``, ``count``, ``item``, what passed from one agent to another. In ``from`` and
  ``to``, -1 means no agent, the market in a trade, the choice ``item`` in a vote, or the fund
  ``item`` in a payment. Frequent links of a pair are merged in intervals, and have the time of
  the last one.
- ``rates``: ``t``, ``episode``, ``rate``, the tax rate in force.
- ``ballots``: ``t``, ``episode``, ``number``, ``yes``, ``no``, ``abstain``, ``outcome``, the votes
  for an amendment so far.
- ``groups``: ``t``, ``agent``, ``groups`` (group → weight).
- ``deeds``: ``t``, ``agent``, ``what``, ``count``, the counted actions of agents.
- ``worlds``: the worlds that were built, as whole events.
- ``casts``: ``t``, ``agents``, the complete list of a society's members.
- ``roles``: ``t``, ``agent``, ``role``.
- ``columns``: ``t``, ``block``, ``x``, ``z``, ``count``, the number of blocks of a kind in a column
  (on the grid, the number of units on a cell). Blocks that exist from the start are only in
  ``worlds``.
- ``places``: ``t``, ``block``, ``x``, ``y``, ``z``, the block at a position.
- ``lands``: chunks of natural terrain, with the fields in :data:`LAND`.
- ``bared``: ``block``, ``x``, ``y``, ``z`` of blocks that digging has exposed.

``rows`` do not contain texts, so they stay small. The page keeps texts and details compressed until
they are viewed.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from voxpolis.analysis.report.story import Chapters
from voxpolis.records import events

# --- The world's blocks, from a run's events: by position, and by column seen from above ----------

Raw = Mapping[str, Any]
# ``(block, x, z)``.
Column = tuple[str, int, int]
# A column with the current number of blocks in it.
Change = tuple[str, int, int, int]
# ``(block, x, y, z)``: the block at a position from now on.
Placed = tuple[str, int, int, int]
NOTHING = "air"


class Ground:
    """Counts the blocks of each kind in each column of the world.

    In Minecraft, a position has one block. On the grid, a cell has units of each kind. An event in
    which an agent digs or places a block changes nothing if the position already has that block,
    because the world itself has reported the change before.
    """

    def __init__(self) -> None:
        self._at: dict[tuple[int, int, int], str] = {}
        self._counts: Counter[Column] = Counter()
        # Positions changed by the last event, excluding built blocks.
        self.placed: list[Placed] = []

    def changes(self, event: Raw) -> list[Change]:
        """Return the columns that an event changes, each with its new count."""
        self.placed = []
        found: list[Column] = []
        match event["kind"]:
            case "world_built":
                self._at.clear()
                self._counts.clear()
                for block, places in event["blocks"].items():
                    for place in places:
                        self._put(block, place)
                self.placed = []
            case "block_dug":
                found = self._put(NOTHING, event["position"])
            case "block_placed":
                found = self._put(event["block"], event["position"])
            case "blocks_changed":
                for block, *place in event["blocks"]:
                    found += self._put(block, place)
            case "piles_changed":
                for block, x, z, units in event["piles"]:
                    self._counts[block, x, z] = units
                    found.append((block, x, z))
        return [(*column, self._counts[column]) for column in dict.fromkeys(found)]

    def _put(self, block: str, place: Any) -> list[Column]:
        """Set the block at a position. Return the columns that have changed.

        In natural terrain, the earlier block is unknown until an event reports a block at the
        position.
        """
        x, y, z = (math.floor(part) for part in place)
        before = self._at.get((x, y, z))
        if block == before:
            return []
        self._at[x, y, z] = block
        self.placed.append((block, x, y, z))
        found: list[Column] = []
        for one, more in ((before, -1), (block, 1)):
            if one is not None and one != NOTHING:
                self._counts[one, x, z] += more
                found.append((one, x, z))
        return found


Batch = dict[str, Any]

# Tables that count what happens in an episode.
OF_EPISODES = ("links", "levels", "groups", "deeds")
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "rows": ("t", "episode", "kind", "agent"),
    "starts": ("t", "episode", *OF_EPISODES),
    "moves": ("t", "agent", "x", "y", "z"),
    "held": ("t", "agent", "item", "count"),
    "levels": ("t", "agent", "level", "believed"),
    "points": ("t", "chart", "series", "y"),
    "chapters": ("t", "agent", "title"),
    "columns": ("t", "block", "x", "z", "count"),
    "places": ("t", "block", "x", "y", "z"),
    "bared": ("block", "x", "y", "z"),
    "casts": ("t", "agents"),
    "roles": ("t", "agent", "role"),
    "links": ("t", "what", "from", "to", "count", "item"),
    "rates": ("t", "episode", "rate"),
    "ballots": ("t", "episode", "number", "yes", "no", "abstain", "outcome"),
    "groups": ("t", "agent", "groups"),
    "deeds": ("t", "agent", "what", "count"),
    "counted": ("action", "item"),
}
# Counted actions by kind of event: label, and the field with the count.
DEEDS: Mapping[str, tuple[str, str]] = {
    "apple_eaten": ("apples eaten", ""),
    "river_cleaned": ("cells of the river cleaned", "cells"),
    "zap_hit": ("hits", ""),
    "article_broken": ("articles broken", ""),
}
NO_AGENT = -1
# Level of direct converts and of priests.
HIGHEST = 2
# Seconds between the end of an episode and the next one, if the record has them at one moment.
APART_S = 0.001
# Duration over which links are merged at first, and the number of them after which it doubles.
MERGED_S = 5.0
MOST_MERGED = 20_000
CHOICES = ("yes", "no", "abstain")
# Kinds that change blocks and are too numerous to get a line each.
SAMPLES_OF_GROUND = ("blocks_changed", "piles_changed", "land_seen", "blocks_bared")
# Fields of a chunk of natural land that the page uses.
LAND = ("x", "z", "names", "heights", "tops", "above")
DIGITS = 1
# Maximum number of agents for which the names in casts are collected.
MOST_AGENTS = 5000


class TimelineEncoder:
    """Processes the events of a run in order, and returns batches for the page.

    ``players`` are the agents that hear what is said in a negotiation.
    """

    def __init__(self, players: Iterable[str] = ()) -> None:
        self._players = list(players)
        self._agents: dict[str, int] = {}
        self._items: dict[str, int] = {}
        self._kinds: dict[str, int] = {}
        self._inventories: dict[int, Mapping[str, int]] = {}
        self._seasons: dict[tuple[int, int], list[float]] = defaultdict(list)
        self._opened: dict[tuple[int, int], float] = {}
        self._conditions: dict[int, str] = {}
        self._roles: dict[int, dict[str, str]] = defaultdict(dict)
        self._ground = Ground()
        self._chapters = Chapters()
        self._batch = _empty()
        self._sent = [0, 0, 0]
        self._counted: set[tuple[str, str]] = set()
        self._latest = 0.0
        self._episode = 0
        self._ballots: dict[int, Counter[str]] = {}
        # Links to merge: time and count by kind and pair.
        self._merged: dict[tuple[str, int, int], tuple[float, float]] = {}
        self._merged_s, self._merged_until, self._merged_count = MERGED_S, 0.0, 0

    def take(self, event: Raw) -> None:
        """Process one event. Parts that are damaged are ignored.

        The events of bots may be slightly late. An event is never shown at an earlier time than an
        event that was recorded before it, and an episode never at the moment at which another
        ended: each of both has its own world.
        """
        t, episode = max(self._latest, float(event["t"])), event.get("episode", 0)
        if isinstance(episode, int) and episode > self._episode:
            self._episode, t = episode, max(t, self._latest + APART_S)
            self._flush()
            counts = (len(self._batch[table]["t"]) for table in OF_EPISODES)
            self._add("starts", t, episode, *counts)
        self._latest = t
        event = {**event, "t": t}
        try:
            self._take(event)
        except (ArithmeticError, LookupError, TypeError, ValueError):
            self._row(event)

    def batch(self) -> Batch:
        self._flush()
        batch, self._batch = self._batch, _empty()
        names = (self._agents, self._items, self._kinds)
        fields = ("agents", "items", "kinds")
        for field, known, sent in zip(fields, names, self._sent, strict=True):
            batch[field] = list(known)[sent:]
        batch["kinds"] = [
            (name, events.lane_of(name) or events.OTHER_LANE) for name in batch["kinds"]
        ]
        self._sent = [len(known) for known in names]
        return batch

    # --- Kinds -----------------------------------------------------------------------------------

    def _take(self, event: Raw) -> None:
        kind = event["kind"]
        for change in self._ground.changes(event):
            self._add("columns", event["t"], *change)
        for placed in self._ground.placed:
            self._add("places", event["t"], *placed)
        if kind == "position":
            self._move(event)
        elif kind == "inventory":
            self._hold(event)
        elif kind == "land_seen":
            self._batch["lands"].append({name: event[name] for name in LAND})
        elif kind == "blocks_bared":
            for bared in event["blocks"]:
                self._add("bared", *bared)
        elif kind not in SAMPLES_OF_GROUND:
            self._special(kind, event)
            self._together(kind, event)
            if title := self._chapters.title(event):
                self._add("chapters", event["t"], self._agent(event), title)
            if events.lane_of(kind) is not None:  # samples are too numerous to list
                self._row(event)

    def _special(self, kind: str, event: Raw) -> None:
        if kind in ("spoke", "converted"):
            self._move(event)
        if kind == "converted":
            believed = bool(event.get("believed"))
            level = HIGHEST if believed else int(event["level"])
            self._add("levels", event["t"], self._agent(event), level, believed)
        elif kind == "reward":
            self._point(
                event, "Reward of each attempt", str(event["agent"]), float(event["reward"])
            )
        elif kind == "condition_started":
            self._name_condition(event["episode"], str(event["condition"]))
            names = event["agents"][: MOST_AGENTS - len(self._agents)]
            self._add("casts", event["t"], [self._named(name) for name in names])
        elif kind == "role":
            self._add("roles", event["t"], self._agent(event), str(event["role"]))
        elif kind == "season_opened":
            self._opened[event["episode"], event["season"]] = event["t"]
        elif kind == "tax_paid":
            self._tax(event)
        elif kind == "world_built":
            self._batch["worlds"].append({**events.defaults_of(kind), **event})
            for agent in self._inventories:
                self._change(event["t"], agent, {})
            self._inventories.clear()

    def _together(self, kind: str, event: Raw) -> None:
        t, agent = event["t"], self._agent(event)
        match kind:
            case "spoke":
                for hearer in event["hearers"]:
                    self._merge("talk", t, agent, self._named(hearer), 1)
            case "negotiation_message":
                for name in self._players:
                    if name != event["agent"]:
                        self._merge("talk", t, agent, self._named(name), 1)
            case "message_passed" | "signal":
                self._merge("talk", t, agent, self._named(event["to"]), 1)
            case "sentiment":
                self._merge("like", t, agent, self._named(event["about"]), float(event["value"]))
            case "profile_score":
                about = self._named(event["about"])
                self._add("links", t, "feeling", agent, about, float(event["score"]), "")
            case "claim_checked":
                self._merge("trust", t, self._named(event["to"]), agent, float(event["trust"]))
            case "converted" if not event.get("believed"):
                teller = event.get("heard_from")
                told = NO_AGENT if teller is None else self._named(teller)
                self._add("links", t, "conversion", told, agent, int(event["level"]), "")
            case "action_done" if event["ok"]:
                self._exchange(event)
            case "zap_hit":
                self._add("links", t, "hit", agent, self._named(event["victim"]), 1, "")
            case "judgement":
                self._settle(t, event["transfers"])
            case "article_broken":
                for name, share in event["shares"].items():
                    self._add("links", t, "pay", agent, self._named(name), float(share), "")
            case "tax_paid" if paid := sum(event["paid"].values()):
                self._add("links", t, "pay", agent, NO_AGENT, paid, "community chest")
            case "groups_changed":
                self._add("groups", t, agent, dict(event["groups"]))
            case "role":
                self._role(event)
            case _:
                self._vote(kind, event)
        if kind in DEEDS:
            what, field = DEEDS[kind]
            self._add("deeds", t, agent, what, int(event[field]) if field else 1)

    def _merge(self, kind: str, t: float, agent: int, to: int, count: float) -> None:
        """Merge an interval's links of one kind and pair: sum up talk, otherwise keep the last."""
        if t >= self._merged_until:
            self._flush()
            self._merged_until = t + self._merged_s
        _, before = self._merged.get((kind, agent, to), (t, 0))
        self._merged[kind, agent, to] = (t, before + count if kind == "talk" else count)

    def _flush(self) -> None:
        for (kind, agent, to), (t, count) in self._merged.items():
            self._add("links", t, kind, agent, to, count, "")
        self._merged_count += len(self._merged)
        self._merged.clear()
        if self._merged_count > MOST_MERGED:
            self._merged_s, self._merged_count = 2 * self._merged_s, 0

    def _settle(self, t: float, transfers: Mapping[str, float]) -> None:
        """Add a link for each payment of a contract. With several payers and several payees, the
        record does not say who paid whom, so the contract itself appears as payee and payer.
        """
        payers = [(self._named(name), -amount) for name, amount in transfers.items() if amount < 0]
        payees = [(self._named(name), amount) for name, amount in transfers.items() if amount > 0]
        if len(payers) == 1:
            found = [(payers[0][0], payee, amount) for payee, amount in payees]
        elif len(payees) == 1:
            found = [(payer, payees[0][0], amount) for payer, amount in payers]
        else:
            found = [(payer, NO_AGENT, amount) for payer, amount in payers]
            found += [(NO_AGENT, payee, amount) for payee, amount in payees]
        for payer, payee, amount in found:
            self._add("links", t, "pay", payer, payee, amount, "contract")

    def _vote(self, kind: str, event: Raw) -> None:
        t, episode = event["t"], event.get("episode") or 0
        counted: dict[int, str] = {}
        match kind:
            case "law_changed" if "tax_rate" in event["parameters"]:
                self._add("rates", t, episode, float(event["parameters"]["tax_rate"]))
            case "amendment":
                self._ballots[event["number"]] = Counter()
                counted = {event["number"]: ""}
            case "vote":
                for number, choice in enumerate(event["choices"], start=1):
                    self._ballots.setdefault(number, Counter())[choice] += 1
                    counted[number] = ""
                    self._add("links", t, "vote", self._agent(event), NO_AGENT, 1, choice)
            case "tally":
                number = event["number"]
                self._ballots[number] = Counter({name: event[name] for name in CHOICES})
                counted = {number: "passed" if event["passed"] else "failed"}
        for number, outcome in counted.items():
            votes = (self._ballots[number][name] for name in CHOICES)
            self._add("ballots", t, episode, number, *votes, outcome)

    def _role(self, event: Raw) -> None:
        episode, agent, role = event["episode"], event["agent"], str(event["role"])
        roles = self._roles[episode]
        before, roles[agent] = roles.get(agent), role
        for name in dict.fromkeys((before, role)):
            if name is None:
                continue
            count = sum(has == name for has in roles.values())
            self._point(event, "Agents in each role", str(name), count)

    def _row(self, event: Raw) -> None:
        kind = str(event.get("kind"))
        number = self._kinds.setdefault(kind, len(self._kinds))
        self._add("rows", event["t"], event.get("episode") or 0, number, self._agent(event))
        self._batch["texts"].append(events.summary_of(event))
        found = gathered(event)
        self._batch["details"].append(event if events.is_detailed(kind) else found)
        if found and found["is_counted"]:
            key = found["action"], found["item"]
            if key not in self._counted:
                self._counted.add(key)
                self._add("counted", *key)

    def _move(self, event: Raw) -> None:
        at = (round(part, DIGITS) for part in event["position"])
        self._add("moves", event["t"], self._agent(event), *at)

    def _hold(self, event: Raw) -> None:
        agent = self._agent(event)
        self._change(event["t"], agent, event["items"])
        self._inventories[agent] = event["items"]

    def _change(self, t: float, agent: int, items: Mapping[str, int]) -> None:
        before = self._inventories.get(agent, {})
        for item in {**before, **items}:
            if before.get(item, 0) != items.get(item, 0):
                number = self._items.setdefault(item, len(self._items))
                self._add("held", t, agent, number, items.get(item, 0))

    def _exchange(self, event: Raw) -> None:
        verb, t, agent = event["action"], event["t"], self._agent(event)
        if event.get("to"):
            to = self._named(event["to"])
            for item, count in event["spent"].items():
                self._add("links", t, "gift", agent, to, int(count), item)
        elif verb == "PUT":
            for item, count in event["spent"].items():
                self._add("links", t, "trade", agent, NO_AGENT, int(count), item)
        elif verb == "TAKE":
            for item, count in event["gained"].items():
                self._add("links", t, "trade", NO_AGENT, agent, int(count), item)

    def _name_condition(self, episode: int, condition: str) -> None:
        """Name an episode by its condition. A number is added if there are several episodes of the
        condition.
        """
        times = 1 + sum(name.split(", run ")[0] == condition for name in self._conditions.values())
        self._conditions[episode] = condition if times == 1 else f"{condition}, run {times}"

    def _tax(self, event: Raw) -> None:
        """Add a point to a curve of paid shares: a season's mean over the agents reported so far.

        The point is at the start of the season. Each episode has its own curve, because
        conditions differ.
        """
        season = (event["episode"], event["season"])
        shares = self._seasons[season]
        shares.append(float(event["share"]))
        opening = {"t": self._opened.get(season, event["t"])}
        series = self._conditions.get(event["episode"], f"episode {event['episode'] + 1}")
        mean = 100 * sum(shares) / len(shares)
        self._point(opening, "Share paid by season, mean over agents, %", series, mean)

    # --- Columns ---------------------------------------------------------------------------------

    def _agent(self, event: Raw) -> int:
        name = event.get("agent")
        if name is None:
            return NO_AGENT
        return self._named(name)

    def _named(self, name: object) -> int:
        return self._agents.setdefault(str(name), len(self._agents))

    def _point(self, event: Raw, chart: str, series: str, y: float) -> None:
        self._add("points", event["t"], chart, series, y)

    def _add(self, table: str, *values: Any) -> None:
        columns = self._batch[table]
        for name, value in zip(COLUMNS[table], values, strict=True):
            columns[name].append(value)


def gathered(event: Raw) -> dict[str, Any] | None:
    """Return the items that an agent dug, placed, moved or picked up in an event, or None.

    The entries are ``action``, ``item``, ``count``, and ``is_counted``, which says whether the
    world itself reported the event. Otherwise, a body reported the event, and the world reports the
    same items in another event.
    """
    kind, count = event.get("kind"), event.get("count", 1)
    match kind:
        case "block_dug" | "block_placed":
            action, item = str(kind).removeprefix("block_"), event.get("block")
        case "item_collected":
            action, item = "collected", event.get("item")
        case "container_moved" if isinstance(count, int):
            action, item = "took" if count > 0 else "put", event.get("item")
        case "ledger":
            action, item = str(event.get("action")), event.get("item")
        case _:
            return None
    if not isinstance(count, int) or not isinstance(item, str):
        return None
    is_counted = kind == "ledger"
    return {"action": action, "item": item, "count": abs(count), "is_counted": is_counted}


def _empty() -> Batch:
    tables: Batch = {table: {name: [] for name in names} for table, names in COLUMNS.items()}
    return {**tables, "texts": [], "details": [], "worlds": [], "lands": []}
