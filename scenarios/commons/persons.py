"""The scripted persons of all games, by their kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import get_args

from voxpolis.bots.models.scripted import Script
from voxpolis.scenarios.commons.cleaners import Cleaner
from voxpolis.scenarios.commons.harvesters import Harvester
from voxpolis.scenarios.commons.person import Cleaning, Harvesting, Kind, Person, ScriptedPerson

__all__ = ["WAYS", "Kind", "Person", "changed", "make_persons", "script_of"]

#: How each kind plays.
WAYS: Mapping[str, type[ScriptedPerson]] = {
    **dict.fromkeys(get_args(Harvesting), Harvester),
    **dict.fromkeys(get_args(Cleaning), Cleaner),
}


def make_persons(
    persons: Mapping[str, Person], players: tuple[str, ...], seed: int
) -> dict[str, ScriptedPerson]:
    """Return the scripted persons of an episode; ``players``: all names, the bots' among them."""
    agents = tuple(persons)
    return {
        name: WAYS[person.kind](person, name, agents, players, seed)
        for name, person in persons.items()
    }


def script_of(persons: Mapping[str, ScriptedPerson]) -> Script:
    """Return persons as one script."""
    return lambda request: persons[request.agent or ""].answer(request)


def changed(person: Person, **fields: object) -> Person:
    """Return a person with the fields changed that are not None."""
    given = {name: value for name, value in fields.items() if value is not None}
    return replace(person, **given)  # type: ignore[arg-type]
