"""The differences between the two games of the study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from voxpolis.grid.commons.game import Commons
from voxpolis.judge.deeds.account import CooperationRules
from voxpolis.scenarios.commons.persons import Cleaning, Harvesting, Kind, Person
from voxpolis.worlds.commons.accounts import BY_RIVER, BY_TREES

# The agent whose selfishness is announced to the other agents in one condition.
SELFISH_ONE = "Pedro"
# Beginnings of character texts.
COOP, SELFISH = "You are a cooperative person.", "You are a selfish person."


@dataclass(frozen=True)
class Game:
    """A commons game as it is played in the study.

    Attributes:
        substrate: name of the grid game.
        maps: a mapping from numbers of trees to changes of the grid game; the first entry is the
            default.
        things: returns the descriptions of objects for agents, one line each.
        characters: for each kind of condition, the text that describes an agent's character.
        aware: the announcement that tells everybody about the selfish agent.
        persons: for each condition, the behaviour of the scripted person that plays in it.
        kinds: the kinds of scripted persons that this game has.
        published: published results by condition, in one line each; the paper has few numbers.
        source: the source of the published results; None if there are none.
        pace: factor for the speed at which apples and dirt of the grid game appear; it is
            multiplied by the number of agents that move in a step. None keeps the speed of the grid
            game, whatever the number of agents.
        lent: the claims and deeds that cooperation modules can name in this game.
    """

    substrate: str
    maps: Mapping[int, Mapping[str, Any]]
    things: Callable[[Commons], tuple[str, ...]]
    characters: Mapping[str, str]
    aware: str
    persons: Mapping[str, Person]
    kinds: tuple[Kind, ...]
    lent: CooperationRules
    published: Mapping[str, str] = field(default_factory=dict)
    source: str | None = None
    pace: float | None = None

    def character(self, condition: str, name: str) -> str:
        """Return the text that describes an agent's character."""
        if condition == "aware":
            own = self.characters["selfish_def"] if name == SELFISH_ONE else ""
            return f"{own} {self.aware}".strip()
        kind = condition.removeprefix("one_tree").removeprefix("_") or "none"
        return self.characters["none" if kind == "bots" else kind]

    def person(self, condition: str, name: str) -> Person:
        if condition == "aware" and name == SELFISH_ONE:
            return self.persons["selfish_def"]
        return self.persons[condition]


def paced(game: Commons, pace: float) -> dict[str, Any]:
    """Return the changes to a game that make its apples and dirt grow ``pace`` times as fast."""
    if game.river is None:
        assert game.regrowth is not None
        return {"regrowth": tuple(min(1.0, pace * chance) for chance in game.regrowth)}
    growth, dirt = (min(1.0, pace * one) for one in (game.river.growth, game.river.dirt))
    return {"river": {**game.river.model_dump(), "growth": growth, "dirt": dirt}}


# --- Commons Harvest: prompts, players and published results --------------------------------------

# --- The maps: letters as in ``grid/commons/game.py`` ---------------------------------------------
# The large map's size and its numbers of trees and apples are published. The positions of trees are
# ours, at least two cells apart.

# 18 rows and 24 columns, six trees with 64 apples: four of 13, two of 6.
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

# A closed room with one tree of 13 apples.
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


_SPARING = Person("sparing", rate=0.5, attacks=0.1)
# Results stated in the paper, by condition; it has few numbers.
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
# Published cost of a run by condition, in dollars and minutes (table G2); ours depends on the
# model.
_STUDY, _ONE_TREE = "7 to 16 dollars and 120 to 420 minutes", ".8 dollars and 14 to 16 minutes"
COSTS: Mapping[str, str] = {
    **dict.fromkeys(("none", "coop", "coop_def", "selfish", "selfish_def"), _STUDY),
    **dict.fromkeys(("one_tree", "one_tree_coop", "one_tree_selfish"), _ONE_TREE),
    "bots": "1.9 dollars and 28 minutes",
    "aware": "10 dollars and 152 minutes",
}
# View radius that covers the whole map.
EVERYTHING = {"ahead": 9, "behind": 9, "sideways": 9}


def _tree_things(game: Commons) -> tuple[str, ...]:
    return (
        "- apples: walking onto one takes it and gives a reward of 1;",
        "- grass: a place where an apple was and can grow again. The more apples there are",
        f"  within a distance of {game.radius}, the sooner one grows. Grass without an apple",
        "  within that distance disappears until there is one again;",
        "- trees: apples and grass that belong together; each tree has a number. A tree that",
        "  has no apple left is dead for good;",
    )


HARVEST = Game(
    substrate="commons_harvest_open",
    maps={6: {"layout": SIX_TREES}, 1: {"layout": ONE_TREE, "view": EVERYTHING}},
    things=_tree_things,
    characters={
        "none": "",
        "coop": COOP,
        "coop_def": f"{COOP} Here this means that you leave the last apple of each tree, and that "
        "you stop those who do not.",
        "selfish": SELFISH,
        "selfish_def": f"{SELFISH} Here this means that you take every apple at once, whatever "
        "happens to the trees.",
    },
    aware=(
        f"Everyone knows that {SELFISH_ONE} is entirely selfish: {SELFISH_ONE} takes every apple "
        "at once, and is a danger to the trees."
    ),
    persons={
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
    },
    kinds=get_args(Harvesting),
    published={name: f"{said}; a run took {COSTS[name]}" for name, said in PUBLISHED.items()},
    source="Mosquera et al. 2024",
    lent=BY_TREES,
)


# --- Clean Up: prompts and players. Its study is our addition -------------------------------------
#
# The substrate is Melting Pot's: apples grow depending on the river's dirt, and cleaning earns
# nothing.

# The substrate's rates are for seven players who all move in each step.
SUBSTRATE_PLAYERS = 7
_SHARER = Person("sharer", rate=0.5, attacks=0.1)


def _river_things(game: Commons) -> tuple[str, ...]:
    river = game.river
    assert river is not None
    return (
        "- apples: walking onto one takes it and gives a reward of 1;",
        "- an orchard, in which apples grow by themselves: the cleaner the river, the sooner.",
        f"  If {river.threshold:.0%} of the river or more are dirty, none grows;",
        "- a river, in which people can walk. Dirt keeps gathering in it. Cleaning brings no",
        "  reward: the cleaner fires a beam of three rows, three cells long, which removes the",
        "  first dirt in each;",
    )


CLEAN_UP = Game(
    substrate="clean_up",
    maps={0: {}},
    things=_river_things,
    characters={
        "none": "",
        "coop": COOP,
        "coop_def": f"{COOP} Here this means that you do your part in cleaning the river, and that "
        "you stop those who do not.",
        "selfish": SELFISH,
        "selfish_def": f"{SELFISH} Here this means that you take apples and leave it to others to "
        "clean the river.",
    },
    aware=(
        f"Everybody knows that {SELFISH_ONE} is entirely selfish: {SELFISH_ONE} takes apples, and "
        "never cleans the river."
    ),
    persons={
        "none": _SHARER,
        "coop": Person("sharer", rate=0.1),
        "coop_def": Person("sharer"),
        "selfish": Person("eater", rate=0.2, attacks=0.1),
        "selfish_def": Person("eater"),
        "bots": _SHARER,
        "aware": Person("sharer", rate=0.1, attacks=1.0, targets={SELFISH_ONE: 0.86}),
    },
    kinds=get_args(Cleaning),
    lent=BY_RIVER,
    pace=1 / SUBSTRATE_PLAYERS,
)
