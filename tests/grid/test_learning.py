"""Upper bound for learners that never exchange items; selfish scripted policies reach it exactly.

The bounds follow from the rules in docs/reference/grid.md if no agent ever lays anything down.
Easy: only carpenters can hold wood and stone, and each can hold one hammer. They collect 20 wood
and 20 stone; two pairs become two hammers worth 5, which makes 46 of the optimum's 200. Hard: four
carpenters with a hammer each, 80 wood and 20 stone: 112 of 940.
"""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from pydantic import ValidationError
from typer.testing import CliRunner

from voxpolis.grid.adasociety.game import read_game
from voxpolis.grid.adasociety.oracle import optimum
from voxpolis.grid.adasociety.state import cells as cells_of
from voxpolis.grid.adasociety.tables import FIRST_PICK, PRODUCE
from voxpolis.grid.adasociety.vector import VectorGame
from voxpolis.grid.core.data import error_text
from voxpolis.grid.learn import __main__ as command
from voxpolis.grid.learn.options import Options


def towards(place: np.ndarray, cells: np.ndarray, size: tuple[int, int]) -> int | None:
    """Return the move to the nearest of some cells of a torus, or None."""
    if not len(cells):
        return None
    apart = (cells - place + np.array(size) // 2) % size - np.array(size) // 2
    down, right = apart[np.abs(apart).sum(1).argmin()]
    if down:
        return 1 if down > 0 else 0
    return (3 if right > 0 else 2) if right else None


def selfish(game: VectorGame, b: int, legal: np.ndarray, rng: np.random.Generator) -> list[int]:
    """Let each agent make its hammer, then collect everything else, and lay nothing down.

    Stone is left to agents that still need it.
    """
    state, t, world = game.state, game.tables, cells_of(game.tables, game.state, b)
    wood, stone, hammer = (game.names.resources.index(name) for name in ("wood", "stone", "hammer"))
    crafters = t.capacity[:, stone] > 0
    is_everybody_done = state.inventory[b, crafters, hammer].all()
    actions = []
    for i, held in enumerate(state.inventory[b]):
        wanted = [wood, stone] if is_everybody_done else [wood]
        if crafters[i] and not held[hammer]:
            wanted = [k for k in (wood, stone) if not held[k]]
        wanted = [k for k in wanted if t.capacity[i, k]]
        can = [a for a in (PRODUCE, *(FIRST_PICK + k for k in wanted)) if legal[i, a]]
        channels = [t.channel.first_resource + k for k in wanted] or [t.channel.first_event]
        move = towards(
            state.position[b, i], np.argwhere(world[..., channels].any(2)), (t.height, t.width)
        )
        # Another agent may be in the way: step aside now and then.
        aside = move is None or rng.random() < 0.1
        actions.append(can[0] if can else int(rng.integers(4)) if aside else move)
    return actions


@pytest.mark.parametrize(("name", "bound"), [("contract-easy", 46), ("contract-hard", 112)])
def test_selfish_policies_without_exchange_reach_but_do_not_exceed_the_bound(name, bound):
    rules, played = read_game(name)
    game = VectorGame(rules, played, 6, action_masks=True)
    _, info = game.reset(seed=5)
    rng = np.random.default_rng(0)
    for _ in range(played.length):
        masks = info["action_mask"]
        actions = masks.argmax(2)  # join the first group in the contract stage, otherwise stay
        for b in range(6) if game.state.step[0] >= game.tables.contract_steps else ():
            actions[b] = selfish(game, b, masks[b], rng)
        *_, info = game.step(actions)
    assert game.state.score.sum(1) == pytest.approx(np.full(6, bound))
    assert optimum(rules, played).welfare == {46: 200, 112: 940}[bound]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"stages": (-1, 1, 1)}, "stages must be fractions"),
        ({"stages": (0, 0, 0)}, "stages must be fractions"),
        ({"stages": (math.inf, 0, 0)}, "^stages"),
        ({"clip": math.inf}, "^clip"),
        ({"clip": -0.1}, "^clip: .*greater than 0"),
        ({"least_return": math.nan}, "^least_return"),
        ({"least_return": 5, "greatest_return": 5}, "greatest_return .* 5 is not greater than 5"),
        ({"greatest_return": -20}, "greatest_return .* -20 is not greater than -10"),
    ],
)
def test_invalid_options_are_refused(options, says):
    with pytest.raises(ValidationError) as error:
        Options(algorithm="cl" if "stages" in options else "rainbow", **options)
    text = error_text(error.value)
    assert "\n" not in text
    assert re.search(says, text)


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("clip=.inf", "clip: Input should be a finite number"),
        ("algorithm=ppo", "algorithm is not set with --option but with --algo"),
        ("games=[1", "the value of games is not valid YAML: [1"),
        ("clip", "expected KEY=VALUE, not 'clip'"),
    ],
)
def test_invalid_command_line_options_give_one_line(monkeypatch, option, says):
    monkeypatch.setattr(command, "_have_torch", lambda threads: None)
    done = CliRunner().invoke(command.app, ["--option", option])
    assert (done.exit_code, done.stderr) == (2, f"error: {says}\n")
