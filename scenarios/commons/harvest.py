"""Commons Harvest: what agents are told of it, who plays it, what was published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from voxpolis.grid.commons.game import Commons
from voxpolis.scenarios.commons.games import COOP, SELFISH, SELFISH_ONE, Game
from voxpolis.scenarios.commons.person import Harvesting
from voxpolis.scenarios.commons.persons import Person
from voxpolis.worlds.commons.accounts import BY_TREES

# --- The maps: letters as in ``grid/commons/game.py`` ---------------------------------------------
# Size, number of trees and number of apples of the large one are the published ones; where the
# trees stand is ours, so that no two of them are within two cells of each other.

#: 18 rows and 24 columns, six trees with 64 apples: four of 13, two of 6.
SIX_TREES = """
########################
#....A............A....#
#...AAA..........AAA...#
#..AAAAA...AAA..AAAAA..#
#...AAA....AAA...AAA...#
#....A............A....#
#......................#
#..A................A..#
#.AAA..............AAA.#
#AAAAA.....AAA....AAAAA#
#.AAA......AAA.....AAA.#
#..A................A..#
#......................#
#......................#
#.@@@@@@@@@@@@@@@@@@@@.#
#.@@@@@@@@@@@@@@@@@@@@.#
#.@@@@@@@@@@@@@@@@@@@@.#
########################
"""

#: A closed room with one tree of 13 apples.
ONE_TREE = """
###########
#@.......@#
#.........#
#....A....#
#...AAA...#
#..AAAAA..#
#...AAA...#
#....A....#
#.........#
#@.......@#
###########
"""


# --------------------------------------------------------------------------------------------------

CHARACTERS = {
    "none": "",
    "coop": COOP,
    "coop_def": f"{COOP} Here this means that you leave the last apple of each tree, and that you "
    "stop those who do not.",
    "selfish": SELFISH,
    "selfish_def": f"{SELFISH} Here this means that you take every apple at once, whatever happens "
    "to the trees.",
}
AWARE = (
    f"Everybody knows that {SELFISH_ONE} is entirely selfish: {SELFISH_ONE} takes every apple at "
    "once, and is a danger to the trees."
)
#: By condition: the scripted persons that answer where no language model is asked. Ours.
_SPARING = Person("sparing", rate=0.5, attacks=0.1)
PERSONS: Mapping[str, Person] = {
    "none": _SPARING,
    "coop": Person("pacifist", rate=0.1),
    "coop_def": Person("guard", rate=0.05),
    "selfish": Person("greedy", rate=0.1, attacks=0.1),
    "selfish_def": Person("greedy", attacks=0.02),
    "one_tree": _SPARING,
    "one_tree_coop": Person("pacifist", rate=0.1),
    "one_tree_selfish": Person("greedy", rate=0.1, attacks=0.1),
    "bots": _SPARING,
    "aware": Person("sparing", rate=0.3, attacks=1.0, targets={SELFISH_ONE: 0.86}),
}
#: The texts of the results that the paper states, by condition; it prints few numbers.
PUBLISHED: Mapping[str, str] = {
    "none": "most reward of the five; as many attacks as selfish, the most; last apples approached "
    "as often as in all others",
    "coop": "less reward than none and selfish; attacks as few as with a definition, the fewest; "
    "last apples approached as often",
    "coop_def": "less reward than none and selfish; fewest attacks; last apples as often",
    "selfish": "reward below none, as selfish_def; most attacks; last apples approached as often",
    "selfish_def": "reward below none, as selfish; clearly fewer attacks than selfish; last apples "
    "approached as often",
    "one_tree": "nobody sustains the tree",
    "one_tree_coop": "reward grows a little more slowly and the tree lives slightly longer; the "
    "final reward is no better; nobody sustains the tree",
    "one_tree_selfish": "nobody sustains the tree",
    "bots": "bots earn more and level off earlier; in half of the runs one agent beats a bot; bots "
    "attack almost 5 times as often, agents are more than twice as effective; bots take last "
    "apples more often",
    "aware": "86 % of the others' hits are on Pedro",
}
#: What a run took them, by condition, in dollars and minutes (table G2); ours depends on the model.
_STUDY, _ONE_TREE = "7 to 16 dollars and 120 to 420 minutes", ".8 dollars and 14 to 16 minutes"
COSTS: Mapping[str, str] = {
    **dict.fromkeys(("none", "coop", "coop_def", "selfish", "selfish_def"), _STUDY),
    **dict.fromkeys(("one_tree", "one_tree_coop", "one_tree_selfish"), _ONE_TREE),
    "bots": "1.9 dollars and 28 minutes",
    "aware": "10 dollars and 152 minutes",
}
#: What is seen where all is seen.
EVERYTHING = {"ahead": 9, "behind": 9, "sideways": 9}


def things(game: Commons) -> tuple[str, ...]:
    """Return what agents are told that there is, a line each."""
    return (
        "- apples: whoever walks onto one takes it and gets a reward of 1;",
        "- grass: a place where an apple was and can grow again. The more apples there are",
        f"  within a distance of {game.radius} of it, the sooner one grows. Grass that has no",
        "  apple within that distance disappears, until there is one again;",
        "- trees: apples and grass that belong together; each tree has a number. A tree that",
        "  has no apple left is dead for ever;",
    )


HARVEST = Game(
    substrate="commons_harvest_open",
    maps={6: {"layout": SIX_TREES}, 1: {"layout": ONE_TREE, "view": EVERYTHING}},
    things=things,
    characters=CHARACTERS,
    aware=AWARE,
    persons=PERSONS,
    kinds=get_args(Harvesting),
    published={name: f"{said}; a run took {COSTS[name]}" for name, said in PUBLISHED.items()},
    source="Mosquera et al. 2024",
    lent=BY_TREES,
)
