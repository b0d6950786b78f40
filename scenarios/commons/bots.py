"""Background players: greedy bots that follow rules and attack readily, and trained bots."""

from __future__ import annotations

import hashlib
import random
from functools import lru_cache
from pathlib import Path

from voxpolis.experiments.loops.commons.game import Bot
from voxpolis.grid.commons.policy import ACTIONS, VIEW, Policy, inputs_of, read_policy
from voxpolis.grid.commons.tables import FORWARD, STAY, TURN_RIGHT, ZAP
from voxpolis.worlds.commons.actions import step_towards, way
from voxpolis.worlds.commons.sight import distance
from voxpolis.worlds.commons.table import CommonsTable

# A bot attacks only if no apple is within this distance.
NEAR = 3
# Probability of firing when no apple is visible.
FIRES = 0.5


def greedy_bot(table: CommonsTable, player: int, seed: int) -> Bot:
    """Return a bot that goes to the nearest visible apple.

    The bot attacks players within reach if no apple is within three steps. If the bot sees no
    apple, it fires in every second step and turns or moves at random in the other steps.
    """
    draws = random.Random(f"{seed} bot {player}")

    def act() -> int:
        cell = table.cells[player]
        seen = sorted((distance(cell, one), one) for one in table.view(player) & table.apples)
        seen = [one for one in seen if one[0]]
        is_near = bool(seen) and seen[0][0] <= NEAR
        can_zap = table.can_fire(player, ZAP)
        if can_zap and not is_near and table.targets(player, table.headings[player]):
            return ZAP
        if seen:
            path = way(table, player, {seen[0][1]})
            return step_towards(table, player, path[0]) if path else STAY
        if can_zap and draws.random() < FIRES:
            return ZAP
        return draws.randint(FORWARD, TURN_RIGHT)

    return act


# Number of digits of a file's SHA-256 hash in records.
DIGEST = 12
# The shipped policy, made by ``python -m grid.learn commons`` with default options.
SHIPPED = Path(__file__).parent / "trained_bot.npz"


@lru_cache
def policy_of(file: Path = SHIPPED) -> Policy:
    """Read the policy of trained bots.

    Raises:
        GameError: the file cannot be read or contains no policy.
    """
    return read_policy(file)


def policy_in_words(file: Path = SHIPPED) -> str:
    """Describe how a policy was trained, and include the hash of its file.

    Raises:
        GameError: the file cannot be read or contains no policy.
    """
    trained = policy_of(file).trained
    steps, game, seed = trained["steps"], trained["game"], trained["seed"]
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:DIGEST]
    return f"{steps:,} agent-steps of {game}, seed {seed}, sha256 {digest}"


def trained_bot(table: CommonsTable, player: int, seed: int, file: Path = SHIPPED) -> Bot:
    """Return a bot that draws its actions from a trained policy.

    The policy gets the observation on which it was trained, even if agents can see more. The bot
    never cleans a river.

    Raises:
        GameError: the file cannot be read or contains no policy.
    """
    draws, policy = random.Random(f"{seed} bot {player}"), policy_of(file)
    see = table.game.view
    rows = slice(see.ahead - VIEW.ahead, see.ahead + VIEW.behind + 1)
    columns = slice(see.sideways - VIEW.sideways, see.sideways + VIEW.sideways + 1)

    def act() -> int:
        legal = table.legal(player)[: len(ACTIONS)]
        inputs = inputs_of(table.observation(player)[rows, columns], legal[ZAP])
        return policy.act(inputs, legal, draws.random)

    return act
