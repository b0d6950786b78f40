"""What games about a commons came to, in words and as sheets of a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from voxpolis.experiments.experiment import Entry, Result, Sheet
from voxpolis.records.text import many

MINUTE_S = 60.0


def episode_in_words(entry: Entry) -> str:
    """Return what an episode came to, in words."""
    said = f"{entry['reward']:g} apples per agent"
    if entry["trees_alive"] is not None:
        said += f", {many(entry['trees_alive'], 'tree')} left"
    if entry["dirt_by_round"]:
        said += f", {entry['dirt_by_round'][-1]:.0%} of the river dirty"
    return said


def cost_in_words(usage: Mapping[str, Any], runs: int, seconds: Sequence[float]) -> str:
    """Return what a run took on average: dollars, if all prices are known, and minutes.

    Args:
        usage: what all calls took, as a result has it.
        runs: how many there are.
        seconds: of the wall's clock, of those that were played now.
    """
    cost = usage.get("cost")
    dollars = "dollars unknown" if cost is None else f"${cost / runs:.2f}"
    return f"a run: {dollars}, {sum(seconds) / len(seconds) / MINUTE_S:.1f} minutes"


def bots_sheets(results: Sequence[Result]) -> list[Sheet]:
    """Return what background players came to, by condition and what they are; nothing of none."""
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
    """Return whom each attacker's hits were on, as parts of its hits."""
    hits = result["all_hits"]
    victims = sorted({victim for own in hits.values() for victim in own})
    rows = {
        attacker: [own.get(victim, 0) / sum(own.values()) for victim in victims]
        for attacker, own in sorted(hits.items())
    }
    name = f"hits, {result['condition']}"
    return Sheet(name, f"{result['condition']}: whom each attacker's hits were on", victims, rows)
