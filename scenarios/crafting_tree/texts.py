"""What agents of the crafting tree are told."""

from __future__ import annotations

from collections.abc import Sequence

from voxpolis.grid.adasociety.game import Game, Rules
from voxpolis.scenarios.crafting_tree.items import ITEMS, PILE_BLOCKS, STATION_BLOCKS
from voxpolis.worlds.layout import Block

MINECRAFT_GOAL = (
    "to discover as many kinds of items as possible, and to climb from wood over stone and iron to "
    "diamond tools."
)
MINECRAFT_WORLD = (
    "You start with nothing in natural land: trees, stone, ores in the depth. What you place stays "
    "where it is unless you take it back. Others may be near; chests can pass things on."
)
SYNTHESIS_GOAL = "to make everything that the stations make, up to the totem, as soon as possible."


def rules_in_words(rules: Rules, game: Game, job: str, chest: Block) -> str:
    """Return what an agent is told of the synthesis tree."""
    lines = [
        "Using a block with `useBlock` is all there is to do here: digging and placing are off.",
        "Piles (each use gives one unit):",
    ]
    for name in game.piles:
        needs = rules.resources[name].requires
        lines.append(
            f"- {name}: block `{PILE_BLOCKS[name]}`, item `{ITEMS[name]}`{_needing(needs)}"
        )
    lines.append("Stations (each use turns the inputs you carry into one output):")
    for name in game.events:
        event = rules.events[name]
        inputs = " + ".join(f"{n} {resource}" for resource, n in event.inputs.items())
        tools = [r for r in event.requires if r not in event.inputs]
        lines.append(
            f"- {name}: block `{STATION_BLOCKS[name]}`: {inputs} → {event.output}, item "
            f"`{ITEMS[event.output]}`{_needing(tools)}"
        )
    full = rules.jobs[job].capacity
    if full:
        limits = ", ".join(f"{n} {resource}" for resource, n in full.items())
        lines.append(f"Your job is {job}; the most you can hold: {limits}.")
    lines.append(f"A chest at {chest} is there to exchange things. You gain, for each unit held:")
    worth = {r: rules.score(job, {r: 1}) for r in rules.resources}
    lines.append(", ".join(f"{resource} {value:g}" for resource, value in worth.items()) + ".")
    return "\n".join(lines)


def _needing(tools: Sequence[str]) -> str:
    return f"; you must hold {' and '.join(tools)}" if tools else ""
