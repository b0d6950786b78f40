"""A person who plays on the grid with keys: a step of the game for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from voxpolis.bots.agents.by_form import keys, next_step
from voxpolis.bots.agents.planner.belief_map import BeliefMap
from voxpolis.bots.agents.planner.grid_player import GridPlayer, Mask, Observed
from voxpolis.bots.agents.planner.observation_text import game_text, situation_text
from voxpolis.bots.agents.planner.situation import situation_of
from voxpolis.bots.agents.planner.society import Society
from voxpolis.grid.adasociety.tables import FIRST_PICK, MOVES, PRODUCE, STAY, Names, Tables
from voxpolis.records.questions import Choice

#: The arrows, as a page shows the map: a cell's row to the right, and its column down.
MOVE_KEYS = ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown")
BESIDE = ((-1, 0), (1, 0), (0, -1), (0, 1))
STAY_KEY, PRODUCE_KEY = ".", "p"


def steps_of(know: BeliefMap, mask: npt.NDArray[np.integer]) -> dict[Choice, int]:
    """Return the steps that an agent can take now, with their actions.

    Args:
        know: what the agent knows of the map.
        mask: (A,), 1 where an action is legal now.
    """
    others = keys()
    found: dict[Choice, int] = {}
    for action in np.flatnonzero(mask).tolist():
        if action < MOVES:
            cell = tuple(a + b for a, b in zip(know.position, BESIDE[action], strict=True))
            row, column = know.called((cell[0], cell[1]))
            found[Choice(f"go to ({row}, {column})", MOVE_KEYS[action])] = action
        elif action == STAY:
            found[Choice("stay", STAY_KEY)] = action
        elif action == PRODUCE:
            found[Choice("use the station here", PRODUCE_KEY)] = action
        else:
            found[Choice(_words(know.tables, know.names, action), next(others))] = action
    return found


def _words(t: Tables, names: Names, action: int) -> str:
    """Return what an action behind the first six does."""
    a = t.actions
    for begin, words in _blocks(t, names):
        if begin <= action < begin + len(words):
            return words[action - begin]
    return "accept the offer" if action == a.accept else "end the bargain"


def _blocks(t: Tables, names: Names) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield where the blocks of actions begin, and what each action of them does."""
    a, people = t.actions, names.agents
    yield FIRST_PICK, [f"pick up {what}" for what in names.resources]
    yield a.dump, [f"lay down {what}" for what in names.resources]
    yield a.message, [f"send {who} a message" for who in people[: a.share - a.message]]
    sharing = people[: a.join - a.share]
    yield a.share, [f"show {who} what you see, or no longer" for who in sharing]
    yield a.join, [f"join group {number}" for number in range(a.request - a.join)]
    yield a.request, [f"bargain with {who}" for who in people[: a.propose - a.request]]
    offers = range(1, a.accept - a.propose + 1)
    yield a.propose, [f"propose to keep 0.{tenths}" for tenths in offers]


class StepPlayer(GridPlayer):
    """Plays one agent through an episode by a person's keys; it stays if none comes in time."""

    async def _choose(self, observed: Observed, mask: Mask, society: Callable[[], Society]) -> int:
        situation = situation_of(self.know, self._rules, observed, mask, None, society())
        steps = steps_of(self.know, mask)
        self.asked += 1
        text = f"{game_text(situation)}\n\n{situation_text(situation)}"
        found = await next_step(self._model, self.name, text, tuple(steps))
        self.failed += found is None
        return STAY if found is None else steps[found]
