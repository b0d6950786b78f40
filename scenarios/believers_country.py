"""The country that a religion spreads in: towns, people, and what can be varied.

Source of the numbers, where nothing else is said: Altera.AL, "Project Sid" (2024), culture and
religion.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from bots.persons import Faith
from grid.village import Place, Resident, scatter

#: The towns' middles, in blocks. Source: Project Sid (Meadowbrook: the middle of its area).
TOWNS: Mapping[str, Place] = {
    "Sunny Glade": (200, -100),
    "Woodhaven": (515, 160),
    "Clearwater": (790, 235),
    "Meadowbrook": (628, 420),
    "Hilltop": (900, 690),
    "Riverbend": (183, 781),
}
HOLY = "Meadowbrook"
COUNTRY = "the country"
#: Country of 500 people: x and z from, to. Larger populations get more of the same beside it.
AREA = ((0.0, -200.0), (1000.0, 1000.0))
PER_COUNTRY, PER_TOWN = 500, 33
#: Modules and periods in seconds, slow enough for thousands; ours.
MODULES = {
    "perception": 30.0,
    "social_awareness": 30.0,
    "memory": 300.0,
    "goals": 300.0,
    "controller": 60.0,
    "talking": 30.0,
    "skill_execution": 60.0,
}
#: In Minecraft: two villages on a platform; ours.
VILLAGES_APART, VILLAGE_RADIUS_BLOCKS = 56.0, 12.0
MINECRAFT: Mapping[str, Any] = {"agents": 30, "length_s": 900.0}


class Settings(BaseModel):
    """What can be varied (``--set``, ``--config``). Times are seconds of the country's own."""

    model_config = ConfigDict(extra="forbid")

    agents: int = Field(default=500, ge=2, le=100_000)
    priests: int = Field(default=20, ge=0)
    length_s: float = Field(default=9000, gt=0)
    town_radius_blocks: float = Field(default=50, gt=0)
    hearing_blocks: float = Field(default=16, gt=0, description="Not published; ours.")
    mixing: int = Field(
        default=0, ge=0, le=50, description="Perfect mixing: so many people, anywhere, hear each."
    )
    thinking_s: float = Field(default=0, ge=0, description="A thought, in simulated time.")
    modules: dict[str, float] = Field(default=MODULES, description="Modules and their periods.")
    faith: Faith = Faith()


@dataclass
class Country:
    """Everybody's home, and what everybody knows."""

    residents: list[Resident]
    homes: dict[str, str]
    places: dict[str, Place]
    known: dict[str, list[str]]
    priests: list[str]


def settle(settings: Settings, seed: int) -> Country:
    """Draw the country of a run: towns of 33, the others around, for each 500 people again."""
    chance = random.Random(f"{seed} country")
    country = Country([], {}, {}, {}, [])
    left, tile = settings.agents, 0
    while left > 0:
        _settle_tile(country, chance, settings, min(left, PER_COUNTRY), tile)
        left, tile = left - PER_COUNTRY, tile + 1
    holy = [name for name, town in country.homes.items() if town.startswith(HOLY)]
    country.priests = holy[: settings.priests]
    return country


def _settle_tile(
    country: Country, chance: random.Random, settings: Settings, people: int, tile: int
) -> None:
    (west, north), (east, south) = AREA
    shift = tile * (east - west)
    mark = "" if tile == 0 else f" {tile + 1}"
    towns = {f"{name}{mark}": (x + shift, z) for name, (x, z) in TOWNS.items()}
    country.places.update(towns)
    spots: list[tuple[str, Place]] = []
    per_town = max(1, round(PER_TOWN * people / PER_COUNTRY))
    for town, middle in towns.items():
        spots += [
            (town, at) for at in scatter(chance, middle, settings.town_radius_blocks, per_town)
        ]
    while len(spots) < people:
        at = (chance.uniform(west, east) + shift, chance.uniform(north, south))
        spots.append((COUNTRY, at))
    for town, at in spots[:people]:
        name = f"P{len(country.residents) + 1}"
        country.residents.append(Resident(name, at, {"home": at}))
        country.homes[name] = town
        country.known[name] = ["home", *towns]


def two_villages(settings: Settings, seed: int) -> Country:
    """The country that fits onto a platform in Minecraft: two villages, and some people between."""
    chance = random.Random(f"{seed} villages")
    middles: dict[str, Place] = {HOLY: (-VILLAGES_APART / 2, 0), "Hilltop": (VILLAGES_APART / 2, 0)}
    country = Country([], {}, dict(middles), {}, [])
    for number in range(settings.agents):
        town = [HOLY, "Hilltop", HOLY, "Hilltop", COUNTRY][number % 5]
        middle = middles.get(town, (0.0, 0.0))
        (at,) = scatter(chance, middle, VILLAGE_RADIUS_BLOCKS, 1)
        name = f"P{number + 1}"
        country.residents.append(Resident(name, at, {"home": at}))
        country.homes[name] = town
        country.known[name] = ["home", *middles]
    holy = [name for name, town in country.homes.items() if town == HOLY]
    country.priests = holy[: min(settings.priests, len(holy) // 4)]
    return country


def traits(country: Country, name: str) -> str:
    """What somebody is told of themselves."""
    home = country.homes[name]
    if name in country.priests:
        return (
            f"You live in {home}. You are a Pastafarian priest, and want everybody to come to "
            "believe in the Spaghetti Monster."
        )
    return f"You live in {home}. You like to talk to people about what interests you."
