"""Long comparison of all shipped games in the kernel and the reference implementation.

``python -m tests.play_beside --agent-steps 100000`` compares the masks of all actions and all
effects after each step; the first difference raises an AssertionError.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial

from tests.commons_reference import play_beside
from tests.grid_playing import compare
from voxpolis.grid.adasociety.game import read_rules, shipped_files
from voxpolis.grid.commons.game import commons_names, read_commons


def main() -> None:
    """Play whole episodes of each game with consecutive seeds for the given number of steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agent-steps", type=int, default=100_000, help="of each game")
    parser.add_argument("--games", nargs="*", help="some games only")
    options = parser.parse_args()
    for name, play in _games():
        if options.games and name not in options.games:
            continue
        steps = seed = 0
        while steps < options.agent_steps:
            steps += play(seed)
            seed += 1
        print(f"{name}: no difference in {steps:,} agent-steps, {seed} episodes", flush=True)


def _games() -> Iterator[tuple[str, Callable[[int], int]]]:
    """Return all games by name, each as a function that plays an episode for a seed.

    The function returns the number of agent-steps.
    """
    for path in shipped_files():
        rules = read_rules(path)
        for name, game in rules.games.items():
            yield name, partial(compare, game, rules=rules, episodes=1)
    for name in commons_names():
        yield name, partial(play_beside, read_commons(name))


if __name__ == "__main__":
    main()
