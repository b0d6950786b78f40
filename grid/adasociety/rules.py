"""The rules of synthesis trees, for referees, minds and controllers outside the kernel.

Items and capacities are plain mappings from resource to units. The kernel implements the same rules
with arrays, and ``tests/grid_reference.py`` compares the two.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # that module validates games with these rules
    from voxpolis.grid.adasociety.game import Game, Resource, Rules, SynthesisEvent

Units = Mapping[str, int]


def missing(requires: Sequence[str], held: Container[str]) -> list[str]:
    """Return the required things that are not held."""
    return [name for name in requires if name not in held]


def has_any_tool(tools: Sequence[str], held: Container[str]) -> bool:
    """Return True if one of several alternative tools is held, or if no tool is needed."""
    return not tools or any(tool in held for tool in tools)


def can_collect(resource: Resource, held: Container[str]) -> bool:
    """Return True if an agent that holds these items may collect a resource."""
    return not missing(resource.requires, held) and has_any_tool(resource.tools, held)


def lacking(inputs: Units, held: Units) -> dict[str, int]:
    """Return how many units of each input are missing."""
    short = {name: units - held.get(name, 0) for name, units in inputs.items()}
    return {name: units for name, units in short.items() if units > 0}


def runs_of(inputs: Units, held: Units) -> int:
    """Return how many times an event can be carried out with the held items."""
    return min(held.get(name, 0) // units for name, units in inputs.items())


def after(inputs: Units, held: Units) -> dict[str, int]:
    """Return the items that are left after an event has used up its inputs."""
    return {name: units - inputs.get(name, 0) for name, units in held.items()}


def has_room(capacity: Units, name: str, held: Units) -> bool:
    """Return True if one more unit can be held. A resource without a stated capacity is
    unlimited.
    """
    most = capacity.get(name)
    return most is None or held.get(name, 0) < most


def surplus(capacity: Units, held: Units) -> dict[str, int]:
    """Return the units that exceed the capacities."""
    over = {name: held.get(name, 0) - most for name, most in capacity.items()}
    return {name: units for name, units in over.items() if units > 0}


def event_for(rules: Rules, game: Game, resource: str) -> str | None:
    """Return the event of a game that makes a resource, or None."""
    return next((name for name in game.events if rules.events[name].output == resource), None)


def reachable(
    rules: Rules, game: Game, job: str | None = None, given: Sequence[str] = ()
) -> list[str]:
    """Return the resources that can be obtained in a game, in the order of the rules.

    Args:
        rules: the synthesis tree.
        game: the game, which determines piles and stations.
        job: the job whose capacities limit what can be held; None for no limits.
        given: resources that are available at the start.
    """
    capacity = rules.jobs[job].capacity if job is not None else {}
    events = [rules.events[name] for name in game.events]
    had = set(given)
    while True:
        more = {
            name
            for name, resource in rules.resources.items()
            if name not in had and has_room(capacity, name, {})
            if (name in game.piles and can_collect(resource, had)) or _can_make(events, name, had)
        }
        if not more:
            return [name for name in rules.resources if name in had]
        had |= more


def _can_make(events: Sequence[SynthesisEvent], name: str, had: set[str]) -> bool:
    return any(e.output == name and had.issuperset((*e.inputs, *e.requires)) for e in events)


def tools(rules: Rules) -> set[str]:
    """Return all resources that something else requires as a tool."""
    return {tool for resource in rules.resources.values() for tool in resource.requires}
