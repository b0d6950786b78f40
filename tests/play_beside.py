"""Plays all shipped games in the kernel and beside it in the plain reference, for long.

``python -m tests.play_beside --agent-steps 100000``. After each step the masks of all agents,
action by action, and all effects are compared; the first difference is an AssertionError.
"""

from __future__ import annotations

import argparse

from grid.adasociety.game import read_rules, shipped_files
from tests.grid_playing import compare


def main() -> None:
    """Play whole episodes of each game, each with the next seed, until there were so many steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agent-steps", type=int, default=100_000, help="of each game")
    parser.add_argument("--games", nargs="*", help="some games only")
    options = parser.parse_args()
    for path in shipped_files():
        rules = read_rules(path)
        for name, game in rules.games.items():
            if options.games and name not in options.games:
                continue
            steps = seed = 0
            while steps < options.agent_steps:
                steps += compare(game, seed, rules, episodes=1)
                seed += 1
            print(f"{name}: no difference in {steps:,} agent-steps, {seed} episodes", flush=True)


if __name__ == "__main__":
    main()
