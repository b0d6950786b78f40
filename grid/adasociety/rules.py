"""The rules of synthesis trees, for referees, minds and controllers outside of the kernel.

What is held, and how much of something one can hold, are plain mappings from resource to units. The
kernel has the same rules over arrays; ``tests/grid_reference.py`` holds it to them.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the game as data checks itself by these rules
    from voxpolis.grid.adasociety.game import Game, Resource, Rules, SynthesisEvent

Units = Mapping[str, int]


def missing(requires: Sequence[str], held: Container[str]) -> list[str]:
    """Return which of some required things are not held."""
    return [name for name in requires if name not in held]


def has_any_tool(tools: Sequence[str], held: Container[str]) -> bool:
    """Return whether one of the tools that will do is held, or none is needed."""
    return not tools or any(tool in held for tool in tools)


def can_collect(resource: Resource, held: Container[str]) -> bool:
    """Return whether who holds something may collect a resource."""
    return not missing(resource.requires, held) and has_any_tool(resource.tools, held)


def lacking(inputs: Units, held: Units) -> dict[str, int]:
    """Return how many units of each input are not held yet."""
    short = {name: units - held.get(name, 0) for name, units in inputs.items()}
    return {name: units for name, units in short.items() if units > 0}


def runs_of(inputs: Units, held: Units) -> int:
    """Return how often an event can be done with what is held."""
    return min(held.get(name, 0) // units for name, units in inputs.items())


def after(inputs: Units, held: Units) -> dict[str, int]:
    """Return what is left of what is held when inputs were used up."""
    return {name: units - inputs.get(name, 0) for name, units in held.items()}


def has_room(capacity: Units, name: str, held: Units) -> bool:
    """Return whether one more of something can be held; what has no capacity is unlimited."""
    most = capacity.get(name)
    return most is None or held.get(name, 0) < most


def surplus(capacity: Units, held: Units) -> dict[str, int]:
    """Return how many units are held beyond what can be."""
    over = {name: held.get(name, 0) - most for name, most in capacity.items()}
    return {name: units for name, units in over.items() if units > 0}


def event_for(rules: Rules, game: Game, resource: str) -> str | None:
    """Return the event of a game that makes a resource; None where none does."""
    return next((name for name in game.events if rules.events[name].output == resource), None)


def reachable(
    rules: Rules, game: Game, job: str | None = None, given: Sequence[str] = ()
) -> list[str]:
    """Return what can ever be had in a game, in the rules' order.

    Args:
        rules: the tree.
        game: its piles and stations.
        job: whose capacities bound what can be had; None: nobody's.
        given: what is there to begin with.
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
    """Return what one must hold for something else."""
    return {tool for resource in rules.resources.values() for tool in resource.requires}
