"""Describes in words what agents observe in Minecraft."""

from __future__ import annotations

from voxpolis.bridge import Observation
from voxpolis.records.text import counts


def observation(seen: Observation) -> str:
    """Describe an agent's observation in words."""
    x, y, z = seen.position
    entities = ", ".join(f"{e.name} ({e.distance:g} blocks away)" for e in seen.nearby_entities)
    return "\n".join(
        [
            f"Position: x={x:.1f}, y={y:.1f}, z={z:.1f}",
            f"Health: {seen.health:g} of 20. Hunger: {seen.food:g} of 20.",
            f"In hand: {seen.held_item or 'nothing'}. Inventory: {counts(seen.inventory)}.",
            f"Blocks near you, nearest first: {', '.join(seen.nearby_blocks) or 'none'}",
            f"Others near you: {entities or 'nobody'}",
        ]
    )


def surroundings(seen: Observation) -> str:
    """Describe the complete observation in words, in the form of Voyager's prompts."""
    chests = [
        f"{place}: {'not opened yet' if items is None else counts(items)}"
        for place, items in seen.chests.items()
    ]
    hour = (seen.time_of_day / 1000 + 6) % 24
    return "\n".join(
        [
            f"Biome: {seen.biome}. Time of day: {hour:04.1f} h.",
            observation(seen),
            f"Equipment: {', '.join(seen.equipment) or 'none'}. "
            f"Inventory slots used: {seen.inventory_slots_used} of 36.",
            f"Chests: {'; '.join(chests) or 'none'}",
        ]
    )
