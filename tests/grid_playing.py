"""Playing grid games in tests, both in the kernel and in the reference."""

from __future__ import annotations

import numpy as np
import pytest

from tests.grid_reference import Reference
from voxpolis.grid.adasociety.game import Game, Rules, read_rules, with_changes
from voxpolis.grid.adasociety.state import cells as cells_of
from voxpolis.grid.adasociety.tables import PRODUCE, Ground
from voxpolis.grid.adasociety.vector import VectorGame

RULES = read_rules()
GAMES = sorted(RULES.games)


def small(name: str, **changes: object) -> Game:
    """Return a game with short episodes."""
    game = RULES.games[name]
    return with_changes(RULES, game, {"length": min(game.length, 70), **changes})


def played(game: Game, rules: Rules = RULES, *, num_envs: int = 1, **options: object) -> VectorGame:
    return VectorGame(rules, game, num_envs, **options)


def view(game: VectorGame, b: int = 0) -> dict[str, object]:
    """Return an environment's state in the reference's format."""
    s, t, names = game.state, game.tables, game.names
    world = cells_of(t, s, b)
    lying, standing = world[..., t.channel.resources], world[..., t.channel.events]
    ground = game.grounds(b)

    def there(found: np.ndarray) -> list[list[int]]:
        return np.argwhere(found).tolist()

    def counted(amounts: np.ndarray, of: list[str]) -> dict[str, int]:
        return {of[k]: int(amounts[k]) for k in np.flatnonzero(amounts)}

    piles: dict[tuple[int, int], dict[str, int]] = {}
    for x, y, k in there(lying):
        piles.setdefault((x, y), {})[names.resources[k]] = int(lying[x, y, k])
    stations = {(x, y): names.events[k] for x, y, k in there(standing)}
    groups = [list(zip(s.group[b, i], s.weight[b, i], strict=True)) for i in range(t.agents)]
    members = [{int(g): round(float(w), 9) for g, w in own if g >= 0} for own in groups]
    partner, moves_next, offer, _ = s.bargain[b].T
    return {
        "position": [tuple(map(int, p)) for p in s.position[b]],
        "held": [counted(s.inventory[b, i], names.resources) for i in range(t.agents)],
        "piles": piles,
        "stations": stations,
        "blocks": {(x, y) for x, y in there(ground == Ground.BLOCK)},
        "groups": members,
        "shares": {(int(i), int(j)) for i, j in np.argwhere(s.shares[b])},
        "partner": {i: int(j) for i, j in enumerate(partner) if j >= 0},
        "offer": {i: int(o) for i, o in enumerate(offer) if o},
        "moves_next": {i for i, m in enumerate(moves_next) if m},
        "sent": {i: int(j) for i, j in enumerate(s.sent[b]) if j >= 0},
        "executed": counted(s.executed[b], names.events),
        "counts": {
            what: [counted(count, names.resources) for count in counts[b]]
            for what, counts in game.counts._asdict().items()
            if counts.size
        },
    }


def windows(game: VectorGame, b: int = 0) -> np.ndarray:
    """Return each agent's observation in an environment, by definition: (N, S, S, C)."""
    s, t = game.state, game.tables
    around = np.arange(-t.pad, t.pad + 1)
    seen = []
    for i, (x, y) in enumerate(s.position[b].tolist()):
        window = cells_of(t, s, b).take(x + around, 0, mode="wrap").take(y + around, 1, mode="wrap")
        for first, needed in ((t.channel.resources, t.collect), (t.channel.events, t.operate)):
            window[..., first][..., (s.held[b, i] & needed) != needed] = 0
        far = abs(around) > t.sight[i]
        window[far], window[:, far] = 0, 0
        seen.append(window)
    return np.array(seen)


def choose(game: VectorGame, chance: np.random.Generator) -> np.ndarray:
    """Choose mostly legal actions, so that something happens, and sometimes any action."""
    masks = game.action_masks()
    anything = chance.integers(0, masks.shape[2], masks.shape[:2])
    wishes = masks * chance.random(masks.shape)
    # Producing and picking up are the main actions in games.
    wishes[:, :, PRODUCE : game.tables.actions.dump] *= 3
    return np.where(chance.random(anything.shape) < 0.1, anything, wishes.argmax(2))


def compare(game: Game, seed: int, rules: Rules = RULES, episodes: int = 2) -> int:
    """Play in kernel and reference; return the number of agent-steps."""
    kernel = played(game, rules, action_log=True, action_masks=True)
    reference, words = Reference(rules, game, seed), kernel.names.actions
    chance, steps = np.random.default_rng(seed), 0
    observation, info = kernel.reset(seed=seed)
    reference.reset()
    assert view(kernel) == reference.view()
    for _ in range(episodes * (game.length + 1) + 1):
        legal = [[reference.legal(i, word) for word in words] for i in reference.agents]
        assert info["action_mask"][0].tolist() == legal
        assert (observation["window"][0] == windows(kernel)).all()
        actions = choose(kernel, chance)
        if reference.step_number >= game.length:
            observation, rewards, _, _, info = kernel.step(actions)
            reference.reset()
            assert rewards.sum() == 0
        else:
            observation, rewards, _, truncated, info = kernel.step(actions)
            expected, ended = reference.step([words[a] for a in actions[0]])
            assert rewards[0] == pytest.approx(expected, abs=1e-9)
            assert truncated[0] == ended
            steps += len(game.jobs)
        assert view(kernel) == reference.view()
    assert kernel.state.score[0] == pytest.approx(reference.score)
    return steps
