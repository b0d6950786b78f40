"""Clean Up: what agents are told of it, and who plays it. This study of it is ours.

The substrate is Melting Pot's: apples grow by how clean the river is, and cleaning earns nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from voxpolis.grid.commons.game import Commons
from voxpolis.scenarios.commons.games import COOP, SELFISH, SELFISH_ONE, Game
from voxpolis.scenarios.commons.person import Cleaning
from voxpolis.scenarios.commons.persons import Person
from voxpolis.worlds.commons.accounts import BY_RIVER

CHARACTERS = {
    "none": "",
    "coop": COOP,
    "coop_def": f"{COOP} Here this means that you do your part in cleaning the river, and that you "
    "stop those who do not.",
    "selfish": SELFISH,
    "selfish_def": f"{SELFISH} Here this means that you take apples and leave it to others to "
    "clean the river.",
}
AWARE = (
    f"Everybody knows that {SELFISH_ONE} is entirely selfish: {SELFISH_ONE} takes apples, and "
    "never cleans the river."
)
#: The substrate's rates are made for seven players who all move in a step.
SUBSTRATE_PLAYERS = 7
#: By condition: the scripted persons that answer where no language model is asked.
_SHARER = Person("sharer", rate=0.5, attacks=0.1)
PERSONS: Mapping[str, Person] = {
    "none": _SHARER,
    "coop": Person("sharer", rate=0.1),
    "coop_def": Person("sharer"),
    "selfish": Person("eater", rate=0.2, attacks=0.1),
    "selfish_def": Person("eater"),
    "bots": _SHARER,
    "aware": Person("sharer", rate=0.1, attacks=1.0, targets={SELFISH_ONE: 0.86}),
}


def things(game: Commons) -> tuple[str, ...]:
    """Return what agents are told that there is, a line each."""
    river = game.river
    assert river is not None
    return (
        "- apples: whoever walks onto one takes it and gets a reward of 1;",
        "- an orchard, in which apples grow by themselves. The cleaner the river is, the sooner;",
        f"  where {river.threshold:.0%} of it or more are dirty, none grows;",
        "- a river, in which one can walk. Dirt gathers in it, more and more. To clean it brings",
        "  no reward: somebody who cleans fires a beam of three rows, three cells long, which",
        "  takes away the first dirt in each;",
    )


CLEAN_UP = Game(
    substrate="clean_up",
    maps={0: {}},
    things=things,
    characters=CHARACTERS,
    aware=AWARE,
    persons=PERSONS,
    kinds=get_args(Cleaning),
    lent=BY_RIVER,
    pace=1 / SUBSTRATE_PLAYERS,
)
