"""The deeds and promises in each kind of commons: what counts as a deed or as keeping a promise,
and which law applies at first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from voxpolis.judge.deeds.account import (
    Account,
    Clause,
    CooperationRules,
    Deed,
    DeedReader,
    Form,
    Offence,
)
from voxpolis.judge.deeds.promises import Promise
from voxpolis.judge.law.penalties import ATTACK
from voxpolis.records import events
from voxpolis.worlds.commons.actions import MOST_MOVES
from voxpolis.worlds.commons.claims import RIVER_CLAIMS, TREE_CLAIMS, Dirt, RiverState, TreeState

LAST_APPLE_FINE, IDLE_FINE = "last_apple_fine", "idle_fine"
# In the initial law of a commons with a river, each agent must clean this many cells in this many
# rounds.
DUTY_CELLS, DUTY_ROUNDS = 5, 10


def _form(name: str, words: str, text: str, kind: str, *of: str, at_least: bool = False) -> Form:
    end = "until round"
    return Form(
        name, f"{words} {end} NUMBER", f"{text} {end} {{until}}", kind, of, at_least, MOST_MOVES
    )


PEACE = _form("peace", "NAME does not attack NAME", "{by} does not attack {other}", ATTACK, "other")
FROM_TREE = _form(
    "eat_from_tree",
    "NAME eats at most NUMBER from tree NUMBER",
    "{by} eats at most {number} from tree {thing}",
    "eaten",
    "number",
    "thing",
)
EATS = _form("eat", "NAME eats at most NUMBER", "{by} eats at most {number}", "eaten", "number")
CLEANS = _form(
    "clean",
    "NAME cleans at least NUMBER cells",
    "{by} cleans at least {number} cells",
    "cleaned",
    "number",
    at_least=True,
)
_ATTACKS = {ATTACK: "attacked others {} times"}
_HITS = Clause("hits", "hit", "other")


def peace(by: str, other: str, until: int) -> Promise:
    """Return the promise of ``by`` not to attack ``other`` until the end of round ``until``."""
    return Promise(PEACE, by, until, other=other)


def work(by: str, cells: int, until: int) -> Promise:
    """Return the promise of ``by`` to clean a number of river cells by the end of round
    ``until``.
    """
    return Promise(CLEANS, by, until, cells)


def _beams(event: events.Event, agent: str, now: int) -> Iterable[Deed]:
    """Yield the attacks that an event contains. Firing at a named player is an attack, even if the
    beam misses.
    """
    match event:
        case events.ZapFired(target=str(target)):
            yield Deed(ATTACK, agent, target, round=now)
        case events.ZapHit(victim=victim, by_chance=False):
            yield Deed("hit", agent, victim, round=now)
        case _:
            pass


def _by_trees() -> DeedReader:
    def read(event: events.Event, now: int) -> Iterable[Deed]:
        agent = str(event.agent)
        if isinstance(event, events.AppleEaten):
            yield Deed("eaten", agent, thing=event.tree, round=now)
            if event.was_last:
                yield Deed("last", agent, thing=event.tree, round=now)
        yield from _beams(event, agent, now)

    return read


def _by_river() -> DeedReader:
    cells: Counter[str] = Counter()

    def read(event: events.Event, now: int) -> Iterable[Deed]:
        agent = str(event.agent)
        if isinstance(event, events.RiverCleaned):
            cells[agent] += event.cells
            yield Deed("cleaned", agent, round=now, count=event.cells)
        elif isinstance(event, events.AppleEaten):
            yield Deed("eaten", agent, round=now)
        elif isinstance(event, events.RoundEnded) and now % DUTY_ROUNDS == 0:
            for name in sorted(event.rewards):
                if cells[name] < DUTY_CELLS:
                    yield Deed("idle", name, round=now)
            cells.clear()
        yield from _beams(event, agent, now)

    return read


TREE_ACCOUNT = Account(
    _by_trees,
    forms=(FROM_TREE, PEACE),
    paid="NAME pays NAME NUMBER * eaten(NAME)",
    clauses=(Clause("eaten", "eaten"), Clause("last", "last"), Clause("eaten", "eaten", "thing"),
             _HITS),
    deed_texts={
        "eaten": "took {} apples",
        "last": "took the last apple of a tree {} times",
        **_ATTACKS,
    },
    articles=(
        "Taking the last apple of a tree is forbidden. "
        f"An agent that does so pays {LAST_APPLE_FINE} to the others.",
    ),
    offence=Offence("last", 1, LAST_APPLE_FINE, "took the last apple of tree {thing}"),
)  # fmt: skip
RIVER_ACCOUNT = Account(
    _by_river,
    forms=(CLEANS, EATS, PEACE),
    paid="NAME pays NAME NUMBER * cleaned(NAME)",
    clauses=(Clause("eaten", "eaten"), Clause("cleaned", "cleaned"), _HITS),
    deed_texts={"eaten": "took {} apples", "cleaned": "cleaned {} cells of the river", **_ATTACKS},
    articles=(
        f"In every {DUTY_ROUNDS} rounds each agent cleans at least {DUTY_CELLS} cells of the "
        f"river. An agent that does not pays {IDLE_FINE} to the others.",
    ),
    offence=Offence("idle", 1, IDLE_FINE, f"cleaned too little in {DUTY_ROUNDS} rounds"),
)


# --- Accounts for cooperation modules; see :mod:`judge.deeds.account` ----------------------------

BY_TREES = CooperationRules(TREE_CLAIMS, TREE_ACCOUNT, TreeState(3, is_alive=False))
BY_RIVER = CooperationRules(RIVER_CLAIMS, RIVER_ACCOUNT, RiverState(Dirt(40, or_more=True)))
