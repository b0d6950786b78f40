"""Measures of an episode of a commons game, computed from its events and its agents' actions.

Source: Mosquera et al. (2024), sections 5 and 6.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from voxpolis.experiments.run.scenario import Entry, Result, Sheet
from voxpolis.records import events
from voxpolis.records.events import Position
from voxpolis.records.text import many
from voxpolis.worlds.commons.actions import Action, Clean, Immobilize

# Decimal places of rewards and shares in results.
DIGITS = 6


def measures_of(
    recorded: Iterable[events.Event],
    actions: Sequence[Action],
    agents: Sequence[str],
    bots: Sequence[str],
) -> dict[str, Any]:
    """Return the measures of one episode. A share is None if there was nothing to count.

    Args:
        recorded: the events of the episode.
        actions: the action that belongs to each ``TurnTaken`` event.
        agents: names of the agents.
        bots: names of the bots.

    Returns:
        - ``reward`` is the number of apples per agent, and ``bots_reward`` the number per bot. The
          two measures also exist by round (``…_by_round``).
        - ``attacks`` counts the agents' ``immobilize`` actions and the bots' beams. ``effective``
          counts those that hit a player.
        - ``approach``: among the turns at whose start the nearest apple was the last of its tree,
          the share in which the agent moved nearer to this apple. ``approach_seen`` is the same for
          turns in which the agent saw the apple.
        - ``last_apples`` is the number of last apples that each player took.
        - ``hits`` counts hits by attacker and victim. If an agent attacks, the victim is the player
          that the agent named.
        - ``dirt`` is the dirty share of the river, averaged over the ends of rounds
          (``dirt_by_round``).
        - ``cleaning`` is the number of turns in which agents cleaned. ``cleaned`` is the number of
          cells that they cleaned.
    """
    recorded = list(recorded)
    turns = [one for one in recorded if isinstance(one, events.TurnTaken)]
    rounds = [one for one in recorded if isinstance(one, events.RoundEnded)]
    eaten = [one for one in recorded if isinstance(one, events.AppleEaten)]
    last = Counter(str(one.agent) for one in eaten if one.was_last)
    chosen = [(str(turn.agent), type(action)) for turn, action in zip(turns, actions, strict=True)]
    attacks, effective = _attacks(recorded, chosen, bots)
    river = _river(recorded, chosen, rounds)
    return {
        "rounds": len(rounds),
        "moves": sum(turn.moves for turn in turns),
        "reward": _apples_by_round(rounds[-1:], agents)[-1] if rounds else None,
        "bots_reward": _apples_by_round(rounds[-1:], bots)[-1] if rounds and bots else None,
        "reward_by_round": _apples_by_round(rounds, agents),
        "bots_by_round": _apples_by_round(rounds, bots) if bots else [],
        "apples_by_round": [one.apples_left for one in rounds],
        "trees_by_round": [one.trees_alive for one in rounds],
        "trees_alive": rounds[-1].trees_alive if rounds else None,
        "attacks": sum(attacks[name] for name in agents),
        "effective": sum(effective[name] for name in agents),
        "effectiveness": _effectiveness(attacks, effective, agents),
        "bots_attacks": sum(attacks[name] for name in bots) if bots else None,
        "bots_effectiveness": _effectiveness(attacks, effective, bots),
        "approach": _approach(turns),
        "approach_seen": _approach([turn for turn in turns if turn.saw_it]),
        "dirt_by_round": river.dirt,
        "dirt": round(sum(river.dirt) / len(river.dirt), DIGITS) if river.dirt else None,
        "cleaning": sum(river.turns[name] for name in agents) if river.dirt else None,
        "cleaned": sum(river.cells[name] for name in agents) if river.dirt else None,
        "last_apples": {name: last[name] for name in (*agents, *bots)},
        "hits": _hits(recorded),
        "by_agent": {
            name: {
                "apples": rounds[-1].rewards[name] if rounds else 0,
                "attacks": attacks[name],
                "effective": effective[name],
                "last_apples": last[name],
                "cleaning": river.turns[name] if river.dirt else None,
                "cleaned": river.cells[name] if river.dirt else None,
            }
            for name in (*agents, *bots)
        },
    }


class _River(NamedTuple):
    """The history of the river in an episode: its dirt by round, and how often and how much
    agents cleaned.
    """

    dirt: list[float]
    turns: Counter[str]
    cells: Counter[str]


def _river(
    recorded: Iterable[events.Event],
    chosen: Iterable[tuple[str, type[Action]]],
    rounds: Iterable[events.RoundEnded],
) -> _River:
    cells: Counter[str] = Counter()
    for one in recorded:
        if isinstance(one, events.RiverCleaned):
            cells[str(one.agent)] += one.cells
    cleaning = Counter(name for name, kind in chosen if kind is Clean)
    return _River([one.dirt for one in rounds if one.dirt is not None], cleaning, cells)


def _apples_by_round(rounds: Sequence[events.RoundEnded], names: Collection[str]) -> list[float]:
    sums = (sum(one.rewards[name] for name in names) for one in rounds)
    return [round(total / len(names), DIGITS) for total in sums]


def _attacks(
    recorded: Iterable[events.Event],
    chosen: Iterable[tuple[str, type[Action]]],
    bots: Collection[str],
) -> tuple[Counter[str], Counter[str]]:
    attacks = Counter(name for name, kind in chosen if kind is Immobilize)
    attacks += Counter(
        str(one.agent) for one in recorded if isinstance(one, events.ZapFired) and one.agent in bots
    )
    fired, shots = Counter[str](), set[tuple[str, int]]()
    for one in recorded:  # a beam may hit several players
        if isinstance(one, events.ZapFired):
            fired[str(one.agent)] += 1
        elif isinstance(one, events.ZapHit):
            shots.add((str(one.agent), fired[str(one.agent)]))
    return attacks, Counter(agent for agent, _ in shots)


def _effectiveness(
    attacks: Counter[str], effective: Counter[str], names: Collection[str]
) -> float | None:
    fired = sum(attacks[name] for name in names)
    return round(sum(effective[name] for name in names) / fired, DIGITS) if fired else None


def _approach(turns: Sequence[events.TurnTaken]) -> float | None:
    """Return the share of turns that ended nearer to the last apple of a tree.

    Only turns at whose start such an apple was the nearest apple are counted.
    """
    tempted = [(turn, turn.last_apple) for turn in turns if turn.last_apple is not None]
    if not tempted:
        return None
    nearer = sum(_steps(turn.ended, at) < _steps(turn.began, at) for turn, at in tempted)
    return round(nearer / len(tempted), DIGITS)


def _steps(one: Position, other: Position) -> float:
    return abs(one[0] - other[0]) + abs(one[2] - other[2])


def _hits(recorded: Iterable[events.Event]) -> dict[str, dict[str, int]]:
    hits: dict[str, Counter[str]] = defaultdict(Counter)
    for one in recorded:
        if isinstance(one, events.ZapHit) and not one.by_chance:
            hits[str(one.agent)][one.victim] += 1
    return {attacker: dict(victims) for attacker, victims in hits.items()}


# --- Results as text, and as tables of a comparison -----------------------------------------------

MINUTE_S = 60.0


def episode_in_words(entry: Entry) -> str:
    """Summarise an episode in one sentence."""
    said = f"{entry['reward']:g} apples per agent"
    if entry["trees_alive"] is not None:
        said += f", {many(entry['trees_alive'], 'tree')} left"
    if entry["dirt_by_round"]:
        said += f", {entry['dirt_by_round'][-1]:.0%} of the river dirty"
    return said


def cost_in_words(usage: Mapping[str, Any], runs: int, seconds: Sequence[float]) -> str:
    """Describe what a run costs on average, in dollars (if all prices are known) and in minutes.

    Args:
        usage: usage of all calls together, as in a result.
        runs: number of runs.
        seconds: wall-clock seconds of each run that this command has played.
    """
    cost = usage.get("cost")
    dollars = "dollars unknown" if cost is None else f"${cost / runs:.2f}"
    return f"a run: {dollars}, {sum(seconds) / len(seconds) / MINUTE_S:.1f} minutes"


def bots_sheets(results: Sequence[Result]) -> list[Sheet]:
    """Return a table of the bots' rewards by condition and kind of bot. The list is empty without
    bots.
    """
    names = {"bots_reward": "apples, each", "bots_attacks": "attacks of all",
             "bots_effectiveness": "part that hit"}  # fmt: skip
    rows = {}
    for result in results:
        bots = result["bots"]
        for kind in dict.fromkeys(bots.values()):
            who = ", ".join(name for name, own in bots.items() if own == kind)
            means = [result["mean"].get(name) for name in names]
            rows[f"{result['condition']}: {who}, {kind}s"] = means
    title = "background players, means"
    return [Sheet("bots", title, list(names.values()), rows)] if rows else []


def hits_sheet(result: Result) -> Sheet:
    """Return a table that shows, for each attacker, the share of its hits that went to each
    victim.
    """
    hits = result["all_hits"]
    victims = sorted({victim for own in hits.values() for victim in own})
    rows = {
        attacker: [own.get(victim, 0) / sum(own.values()) for victim in victims]
        for attacker, own in sorted(hits.items())
    }
    name = f"hits, {result['condition']}"
    return Sheet(
        name, f"{result['condition']}: hits by attacker, as shares of its hits", victims, rows
    )
