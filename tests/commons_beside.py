"""Playing a commons in tests: in the kernel, and beside it in the plain reference."""

from __future__ import annotations

import numpy as np

from tests.commons_reference import Reference
from voxpolis.grid.commons import Commons
from voxpolis.grid.commons.vector import VectorCommons


def compare(reference: Reference, env: VectorCommons, b: int = 0) -> None:
    """Whether an environment and the reference are in the same state, and see the same."""
    s, seen = env.state, env.observation
    places = [tuple(place) for place in seen["position"][b].tolist()]
    playing = [i for i in reference.players if not reference.out[i]]
    assert s.out[b].tolist() == reference.out
    assert [places[i] for i in playing] == [reference.places[i] for i in playing]
    assert s.heading[b].tolist() == reference.headings
    assert s.zap_wait[b].tolist() == reference.zap_wait
    assert s.clean_wait[b].tolist() == reference.clean_wait
    assert s.eaten[b].tolist() == reference.eaten
    assert s.cleaned[b].tolist() == reference.cleaned
    assert s.zapped[b].tolist() == reference.zapped
    assert s.dirty[b] == len(reference.dirt)
    for i in reference.players:
        assert seen["window"][b, i].tolist() == reference.window(i)


def play_beside(game: Commons, seed: int, steps: int = 0) -> int:
    """Play at random in both, over the ends of episodes, or without ``steps`` one whole episode.

    Masks, action by action, and all effects are compared after every step. Returns how many
    agent-steps were.
    """
    env, reference = VectorCommons(game, 1, action_masks=True), Reference(game, seed)
    _, info = env.reset(seed=seed)
    reference.reset()
    chance, played, ended = np.random.default_rng(seed), 0, False
    while played < steps or not (steps or ended):
        compare(reference, env)
        legal = [[reference.legal(i, a) for a in game.actions] for i in reference.players]
        assert info["action_mask"][0].tolist() == legal
        actions = chance.integers(0, len(game.actions), (1, game.players))
        _, rewards, terminated, truncated, info = env.step(actions)
        earned, over = reference.step([game.actions[a] for a in actions[0]])
        assert rewards[0].tolist() == earned
        assert bool(terminated[0]) == over
        played += 1
        ended = over or bool(truncated[0])
        if ended:
            compare(reference, env)
            *_, info = env.step(actions)
            reference.reset()
    return played * game.players
