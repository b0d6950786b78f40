"""What agents are told of the world, whichever game is played."""

from __future__ import annotations

from collections.abc import Iterable

from voxpolis.grid.commons.game import Commons
from voxpolis.worlds.commons.actions import MOST_MOVES

#: What is told where agents do not take turns.
AT_ONCE = "All choose at the same time, before they know what others choose, and act together."


def world_text(game: Commons, things: Iterable[str], *, simultaneous: bool) -> str:
    """Return what every agent is told of the world, and nothing else of the game.

    Args:
        game: the map and its rules.
        things: what there is beside walls and people, in lines.
        simultaneous: whether all choose at the same time.
    """
    rows, view = game.rows, game.view
    height, width = len(rows), len(rows[0])
    bottom, right = height - 1, width - 1
    return "\n".join(
        (
            f"The world is a map of {height} rows and {width} columns. Places are [row, column]:",
            f"the corners are [0, 0], [0, {right}], [{bottom}, 0] and [{bottom}, {right}];",
            "rows are counted towards the south, columns towards the east. There are:",
            "- walls around the map, which nobody can pass;",
            *things,
            "- other people, who can take apples, too. Somebody who is immobilized is out of the",
            f"  game for {game.zap.out_for} hours, and comes back elsewhere. What immobilizes is a",
            "  beam of three rows, which hits the first in each, whoever it was meant for.",
            f"A turn takes an hour or, where you walk, up to {MOST_MOVES}.",
            *([AT_ONCE] if simultaneous else []),
            f"You see only {view.ahead} cells ahead of you, {view.behind} behind you and",
            f"{view.sideways} to each side, and attend only to what is nearest.",
        )
    )
