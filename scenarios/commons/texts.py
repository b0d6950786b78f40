"""What agents are told of the world and of their character; the latter follow the paper."""

from __future__ import annotations

from grid.commons.game import Commons
from worlds.commons.actions import MOST_MOVES

#: The one that all are told about where the selfish one is announced.
SELFISH_ONE = "Pedro"

COOP = "You are a cooperative person."
SELFISH = "You are a selfish person."
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


def world_text(game: Commons) -> str:
    """Return what every agent is told of the world, and nothing else of the game."""
    rows, view = game.rows, game.view
    height, width = len(rows), len(rows[0])
    bottom, right = height - 1, width - 1
    return "\n".join(
        (
            f"The world is a map of {height} rows and {width} columns. Places are [row, column]:",
            f"the corners are [0, 0], [0, {right}], [{bottom}, 0] and [{bottom}, {right}];",
            "rows are counted towards the south, columns towards the east. There are:",
            "- walls around the map, which nobody can pass;",
            "- apples: whoever walks onto one takes it and gets a reward of 1;",
            "- grass: a place where an apple was and can grow again. The more apples there are",
            f"  within a distance of {game.radius} of it, the sooner one grows. Grass that has no",
            "  apple within that distance disappears, until there is one again;",
            "- trees: apples and grass that belong together; each tree has a number. A tree that",
            "  has no apple left is dead for ever;",
            "- other people, who can take apples, too. Somebody who is immobilized is out of the",
            f"  game for {game.zap.out_for} hours, and comes back elsewhere. What immobilizes is a",
            "  beam of three rows, which hits the first in each, whoever it was meant for.",
            f"A turn takes an hour or, where you walk, up to {MOST_MOVES}.",
            f"You see only {view.ahead} cells ahead of you, {view.behind} behind you and",
            f"{view.sideways} to each side, and attend only to what is nearest.",
        )
    )
